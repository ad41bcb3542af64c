import { describe, expect, it } from 'vitest';
import { PinoLogger } from '../../../../../src/adapters/outbound/pino-log/pino-logger.js';
import type { LogLevel } from '../../../../../src/domain/configuration/log-configuration.js';
import { capturedLog, recordsOf } from '../../../../support/shared/captured-log.js';

const logged = (log: (logger: PinoLogger) => void, level: LogLevel = 'trace'): Promise<string> =>
  capturedLog((output) => log(new PinoLogger(level, output)));

const hostile = 'a\r\n{"level":"error","message":"forged"}\n\u001b[31m\u009b31m\u2028\u2029\u007f"\\';

describe('a log record', () => {
  it('is one line of JSON with time, level, message and the fields', async () => {
    const [record, ...more] = recordsOf(
      await logged((logger) => logger.warn('too big', { limit: 8, actual: 9, client_ip: '::1', trace_id: null })),
    );
    expect(more).toEqual([]);
    expect(record).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: 'warn',
      message: 'too big',
      limit: 8,
      actual: 9,
      client_ip: '::1',
      trace_id: null,
    });
  });

  it('stays one line and preserves the text for any value', async () => {
    const log = await logged((logger) => logger.error(hostile, { value: hostile, list: [hostile], [hostile]: 1 }));
    expect(log.match(/\n/g)).toHaveLength(1);
    expect(log.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    expect(recordsOf(log)).toEqual([
      expect.objectContaining({ level: 'error', message: hostile, value: hostile, list: [hostile] }),
    ]);
  });

  it('stays JSON for a lone surrogate', async () => {
    const log = await logged((logger) => logger.info('x', { value: `\ud800${'y'.repeat(200)}`, short: '\udc00' }));
    expect(recordsOf(log)).toEqual([expect.objectContaining({ message: 'x' })]);
  });

  it.each([
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'token',
    'admin_token',
    'accessToken',
    'jwt-secret',
    'password',
    'x-api-key',
    'apiKey',
    'apikey',
    'private_key',
  ])('never shows the value of a field named %s', async (name) => {
    const log = await logged((logger) => logger.info('x', { [name]: 'hunter2', list: ['y'] }));
    expect(log).not.toContain('hunter2');
    expect(log).toContain(`"${name}":"[secret]"`);
  });

  it('shows fields with similar names', async () => {
    const fields = { token_count: 1, key: 'path-prefix', secretary: 'x', cookies_seen: 2 };
    expect(recordsOf(await logged((logger) => logger.info('x', fields)))).toEqual([expect.objectContaining(fields)]);
  });

  it('keeps its level and message if a field has the same name', async () => {
    const [record] = recordsOf(
      await logged((logger) => logger.info('real', { level: 'error', message: 'x', time: 'y' })),
    );
    expect(record).toMatchObject({ level: 'info', message: 'real', level_: 'error', message_: 'x', time_: 'y' });
  });
});

describe('the level', () => {
  it.each([
    ['off', []],
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
    ['trace', ['error', 'warn', 'info', 'debug', 'trace']],
  ] as const)('%s passes %j', async (level, expected) => {
    const log = await logged((logger) => {
      for (const each of ['error', 'warn', 'info', 'debug', 'trace'] as const) logger[each](each);
    }, level);
    expect(recordsOf(log).map((record) => record['level'])).toEqual(expected);
  });
});

describe('the pretty format', () => {
  const pretty = (log: (logger: PinoLogger) => void): Promise<string> =>
    capturedLog((output) => log(new PinoLogger('trace', output)), 'pretty');

  it('is a line of text, without colours for a file', async () => {
    const log = await pretty((logger) => logger.warn('too big', { limit: 8 }));
    expect(log).toMatch(/^\[[^\]]+\] WARN: too big \{"limit":8\}\n$/);
  });

  it('escapes line ends and terminal sequences', async () => {
    const log = await pretty((logger) => logger.warn(hostile, { value: hostile, list: [hostile] }));
    expect(log.match(/\n/g)).toHaveLength(1);
    expect(log.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  });
});
