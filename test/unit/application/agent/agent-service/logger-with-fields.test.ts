import { expect, it } from 'vitest';
import { LoggerWithFields } from '../../../../../src/application/agent/agent-service/logger-with-fields.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

it('a logger with fields adds them to every record at any level', () => {
  const recording = new RecordingLogger();
  const logger = new LoggerWithFields(recording, { agent: 'auth' });
  for (const level of ['error', 'warn', 'info', 'debug', 'trace'] as const)
    logger[level]('said', { more: 1, agent: 'x' });
  logger.info('alone');
  expect(recording.lines.map(({ level }) => level)).toEqual(['error', 'warn', 'info', 'debug', 'trace', 'info']);
  expect(recording.lines.slice(0, 5).every(({ fields }) => fields['more'] === 1 && fields['agent'] === 'auth')).toBe(
    true,
  );
  expect(recording.lines[5]?.fields).toEqual({ agent: 'auth' });
});
