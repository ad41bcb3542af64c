import { describe, expect, it } from 'vitest';
import { PinoAccessLog } from '../../../../../src/adapters/outbound/pino-log/pino-access-log.js';
import type { AccessRecord } from '../../../../../src/application/ports/access-log.js';
import type { LogLevel } from '../../../../../src/domain/configuration/log-configuration.js';
import { capturedLog, recordsOf } from '../../../../support/captured-log.js';

const record: AccessRecord = {
  requestId: 'r-1',
  traceId: 'r-1',
  correlationId: 'c-1',
  clientIp: '192.0.2.1',
  method: 'GET',
  path: '/v1/things',
  protocol: 'HTTP/1.1',
  host: 'api.example',
  route: 'api',
  upstream: 'backend',
  target: '10.0.0.1:80',
  status: 200,
  durationMs: 1.23456,
  requestBytes: 10,
  responseBytes: 20,
  errorType: null,
  verdict: null,
};

const logged = (records: readonly AccessRecord[], level: LogLevel = 'info', wallMs = () => 0): Promise<string> =>
  capturedLog((output) => {
    const log = new PinoAccessLog(level, output, wallMs);
    for (const each of records) log.write(each);
  });

describe('an access record', () => {
  it('is one line of JSON', async () => {
    expect(recordsOf(await logged([record], 'info', () => Date.UTC(2026, 0, 2, 3, 4, 5, 6)))).toEqual([
      {
        level: 'info',
        time: '2026-01-02T03:04:05.006Z',
        message: 'request',
        request_id: 'r-1',
        trace_id: 'r-1',
        correlation_id: 'c-1',
        client_ip: '192.0.2.1',
        method: 'GET',
        path: '/v1/things',
        protocol: 'HTTP/1.1',
        host: 'api.example',
        route: 'api',
        upstream: 'backend',
        target: '10.0.0.1:80',
        status: 200,
        duration_ms: 1.235,
        request_bytes: 10,
        response_bytes: 20,
      },
    ]);
  });

  it('says which agent ended it, and why, in its words', async () => {
    const verdict = { agent: 'words', reasonCodes: ['found "it"\n'], ruleIds: [], tags: ['a', 'b'] };
    const [line] = recordsOf(await logged([{ ...record, errorType: 'blocked_by_agent', verdict }]));
    expect(line).toMatchObject({ agent: 'words', reason_codes: ['found "it"\n'], tags: ['a', 'b'] });
    expect(line).not.toHaveProperty('rule_ids');
  });

  it('names what went wrong, and has null where nothing is known', async () => {
    const [line] = recordsOf(
      await logged([{ ...record, errorType: 'no_route', host: null, route: null, upstream: null, target: null }]),
    );
    expect(line).toMatchObject({ error_type: 'no_route', host: null, route: null, upstream: null, target: null });
  });

  it('has its own time, however many came in one second', async () => {
    const times = [999, 1000, 1001, 1001.7, 61_000, 60_999];
    let index = 0;
    const log = await logged(Array<AccessRecord>(times.length).fill(record), 'info', () => times[index++] as number);
    expect(recordsOf(log).map((line) => line['time'])).toEqual(times.map((ms) => new Date(ms).toISOString()));
  });

  it.each([
    'requestId',
    'correlationId',
    'clientIp',
    'method',
    'path',
    'protocol',
    'host',
    'route',
    'upstream',
    'target',
    'errorType',
  ] as const)('stays one line with hostile text as %s', async (member) => {
    const hostile = '"}\r\n{"level":"error"}\u0000\u001b[2J\u009b\u2028\ud800\\';
    const log = await logged([{ ...record, [member]: hostile }, record]);
    expect(log.match(/\n/g)).toHaveLength(2);
    expect(log.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    const [first] = recordsOf(log);
    expect(Object.values(first ?? {})).toContain(hostile);
    expect(first).toMatchObject({ level: 'info', status: 200 });
  });

  it('stays JSON where a number is none', async () => {
    const [line] = recordsOf(await logged([{ ...record, durationMs: Number.NaN }]));
    expect(line).toMatchObject({ duration_ms: null });
  });
});

describe('the level', () => {
  it.each([
    ['trace', 1],
    ['debug', 1],
    ['info', 1],
    ['warn', 0],
    ['error', 0],
    ['off', 0],
  ] as const)('%s writes %i access lines of one', async (level, lines) => {
    expect(recordsOf(await logged([record], level))).toHaveLength(lines);
  });
});
