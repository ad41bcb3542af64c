import { describe, expect, it } from 'vitest';
import { PinoAccessLog } from '../../../../../src/adapters/outbound/pino-log/pino-access-log.js';
import type { AccessRecord } from '../../../../../src/application/ports/gateway/access-log.js';
import type { LogLevel } from '../../../../../src/domain/configuration/log-configuration.js';
import { capturedLog, recordsOf } from '../../../../support/shared/captured-log.js';

const record: AccessRecord = {
  requestId: 'r-1',
  traceId: 'r-1',
  correlationId: 'c-1',
  clientIp: '192.0.2.1',
  method: 'GET',
  path: '/v1/things',
  upstreamPath: null,
  protocol: 'HTTP/1.1',
  host: 'api.example',
  route: 'api',
  upstream: 'backend',
  target: '10.0.0.1:80',
  status: 200,
  grpcStatus: null,
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

  it('names the agent that ended it, and its reason', async () => {
    const verdict = { agent: 'words', reasonCodes: ['found "it"\n'], ruleIds: [], tags: ['a', 'b'] };
    const [line] = recordsOf(await logged([{ ...record, errorType: 'blocked_by_agent', verdict }]));
    expect(line).toMatchObject({ agent: 'words', reason_codes: ['found "it"\n'], tags: ['a', 'b'] });
    expect(line).not.toHaveProperty('rule_ids');
  });

  it('names the error, and has null for unknown values', async () => {
    const [line] = recordsOf(
      await logged([{ ...record, errorType: 'no_route', host: null, route: null, upstream: null, target: null }]),
    );
    expect(line).toMatchObject({ error_type: 'no_route', host: null, route: null, upstream: null, target: null });
  });

  it('names the path of the upstream where it differs', async () => {
    const [same, other] = recordsOf(await logged([record, { ...record, upstreamPath: '/v1/"things"' }]));
    expect(same).not.toHaveProperty('upstream_path');
    expect(other).toMatchObject({ path: '/v1/things', upstream_path: '/v1/"things"', status: 200 });
  });

  it('has its own time, even within one second', async () => {
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

  it('does not depend on earlier lines', async () => {
    const one = (values: Partial<AccessRecord>): AccessRecord => ({ ...record, ...values });
    const records = [
      record,
      one({ target: '10.0.0.2:80' }),
      one({ host: 'other.example' }),
      one({ route: 'other', upstream: null }),
      record,
      one({ route: 'other' }),
      record,
      one({ protocol: 'HTTP/2' }),
      one({ protocol: 'HTTP/2', target: null }),
      one({ upstream: 'other' }),
      one({ requestId: 'r-2', traceId: 't-2', correlationId: 'r-2' }),
      one({ clientIp: '2001:db8::1', method: 'POST' }),
      one({ host: 'h'.repeat(2_000) }),
      one({ host: null, target: null }),
    ];
    const crowd = Array.from({ length: 3_000 }, (_, index) =>
      one({ clientIp: `c${index}`, host: `h${index}`, target: `t${index}` }),
    );
    const all = [...records, ...crowd, ...records.toReversed(), ...records];
    const lines = (await logged(all)).split('\n').slice(0, -1);
    expect(lines).toHaveLength(all.length);
    const alone = new Map<AccessRecord, string>();
    for (const each of records) alone.set(each, (await logged([each])).slice(0, -1));
    for (const [index, each] of all.entries()) {
      const expected = alone.get(each);
      if (expected !== undefined) expect(lines[index]).toBe(expected);
      else expect(JSON.parse(lines[index] ?? '')).toMatchObject({ client_ip: each.clientIp, host: each.host });
    }
  });

  it('has the duration in microsecond precision as a JSON number', async () => {
    const times = [
      0, 0.0004, 0.0005, 0.001, 0.01, 0.1, 0.25, 0.9996, 1, 12.3, 1_000.05, 1_073_741.823, 1_073_741.824, 9e9, -1,
    ];
    const log = await logged(times.map((durationMs) => ({ ...record, durationMs })));
    const texts = [...log.matchAll(/"duration_ms":([^,]+)/g)].map(([, text]) => text);
    expect(texts).toEqual(times.map((ms) => JSON.stringify(Math.round(ms * 1_000) / 1_000)));
  });

  it('stays JSON if a number is not finite', async () => {
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
  ] as const)('%s writes %i of one access line', async (level, lines) => {
    expect(recordsOf(await logged([record], level))).toHaveLength(lines);
  });
});
