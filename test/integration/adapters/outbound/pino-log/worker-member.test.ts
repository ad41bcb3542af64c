import { describe, expect, it } from 'vitest';
import { PinoAccessLog } from '../../../../../src/adapters/outbound/pino-log/pino-access-log.js';
import { PinoLogger } from '../../../../../src/adapters/outbound/pino-log/pino-logger.js';
import { capturedLog, recordsOf } from '../../../../support/shared/captured-log.js';

const record = {
  requestId: 'r',
  traceId: 'r',
  correlationId: 'c',
  clientIp: '192.0.2.1',
  method: 'GET',
  path: '/',
  upstreamPath: null,
  protocol: 'HTTP/1.1',
  host: 'api.example',
  route: null,
  upstream: null,
  target: null,
  status: 404,
  grpcStatus: null,
  durationMs: 1,
  requestBytes: 0,
  responseBytes: 0,
  errorType: null,
  verdict: null,
} as const;

describe('the lines of a worker', () => {
  it('have its number, and a field with that name is renamed', async () => {
    const log = await capturedLog((output) => {
      const logger = new PinoLogger('info', output, 3);
      logger.info('first');
      logger.warn('second', { worker: 'another', time: 'never' });
      new PinoAccessLog('info', output, () => 0, 3).write(record);
    });
    expect(recordsOf(log)).toMatchObject([
      { level: 'info', worker: 3, message: 'first' },
      { level: 'warn', worker: 3, message: 'second', worker_: 'another', time_: 'never' },
      { level: 'info', worker: 3, message: 'request', status: 404 },
    ]);
    expect(log.match(/"worker":/g)).toHaveLength(3);
  });

  it('have no number for a single process or the supervisor', async () => {
    const log = await capturedLog((output) => {
      new PinoLogger('info', output).info('a worker ended', { worker: 2 });
      new PinoAccessLog('info', output, () => 0).write(record);
    });
    const [told, request] = recordsOf(log);
    expect(told).toMatchObject({ worker: 2 });
    expect(request).not.toHaveProperty('worker');
  });
});
