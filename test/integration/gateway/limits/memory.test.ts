import { totalmem } from 'node:os';
import { describe, expect } from 'vitest';
import type { GatewayConfiguration } from '../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { ClientConnection } from '../../../support/gateway/client-connection.js';
import {
  countedLimits,
  get,
  type LimitedGateway,
  limitLines,
  refusalOf,
  startLimited,
} from '../../../support/gateway/limited-gateway.js';
import type { CleanUp } from '../../../support/shared/clean-up.js';
import { eventually } from '../../../support/shared/eventually.js';
import { it } from '../../../support/shared/fixtures.js';

const withAdmin: Partial<GatewayConfiguration> = {
  admin: { address: { host: '127.0.0.1', port: 0 }, token: null, readyRequires: [] },
};

const ready = async (cleanUp: CleanUp, gateway: LimitedGateway) => {
  const { admin } = gateway.gateway.addresses();
  if (admin === null) throw new Error('no admin address');
  const connection = new ClientConnection(admin);
  cleanUp.add(() => connection.destroy());
  const { status, body } = await connection.ask('GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const { reasons } = JSON.parse(body) as { readonly reasons?: readonly string[] };
  return { status, reasons };
};

const metricsOf = async (gateway: LimitedGateway): Promise<string> =>
  (await gateway.metrics())
    .split('\n')
    .filter((line) => /^gateway_memory_limit/.test(line))
    .map((line) => line.replace(/\{[^}]*\}/, ''))
    .join(', ');

const shortOf = { status: 503, reasons: ['over the memory limit'] };

describe('a gateway above max-memory-bytes', () => {
  it('serves open connections, refuses others, logs it, and recovers after a reload with more', async ({ cleanUp }) => {
    const gateway = await startLimited(cleanUp, {}, withAdmin);
    const standing = gateway.client();
    const inFlight = gateway.client().send(get('/held'));
    expect((await standing.ask(get())).status).toBe(200);
    await eventually(() => gateway.upstream.held === 1);
    expect(await ready(cleanUp, gateway)).toEqual({ status: 200, reasons: undefined });

    await gateway.reloadLimits({ maxMemoryBytes: 1_048_576 });
    expect(await ready(cleanUp, gateway)).toEqual(shortOf);
    expect(await metricsOf(gateway)).toBe('gateway_memory_limit_bytes 1048576, gateway_memory_limited 1');
    expect((await standing.ask(get())).status).toBe(200);
    const refused = gateway.client();
    const { status, headers, body } = await refused.answer();
    expect([status, headers['retry-after'], headers['connection']]).toEqual([503, '1', 'close']);
    expect(JSON.parse(body)).toMatchObject({
      code: 'memory_limit_reached',
      detail: 'max-memory-bytes is 1048576.',
    });
    await refused.closed;
    const [shortage, refusal] = limitLines(gateway);
    const limit = { limit_name: 'max-memory-bytes', limit: 1_048_576, actual: expect.any(Number) };
    expect(shortage?.fields).toEqual({ ...limit, client_ip: null, trace_id: null, resident_bytes: expect.any(Number) });
    const { correlation_id: traceId } = JSON.parse(body) as { readonly correlation_id: string };
    expect(refusal?.fields).toEqual({
      ...limit,
      error_type: 'memory_limit_reached',
      client_ip: '127.0.0.1',
      trace_id: traceId,
    });
    expect(Number(shortage?.fields['actual'])).toBeGreaterThan(1_048_576);
    expect(await countedLimits(gateway)).toEqual({ 'gateway_request_limit_reached_total max-memory-bytes': 1 });
    gateway.upstream.release();
    expect((await inFlight.answer()).status).toBe(200);

    await gateway.reloadLimits({ maxMemoryBytes: totalmem() });
    expect(await ready(cleanUp, gateway)).toEqual({ status: 200, reasons: undefined });
    expect(await metricsOf(gateway)).toBe(`gateway_memory_limit_bytes ${totalmem()}, gateway_memory_limited 0`);
    expect((await gateway.ask(get())).status).toBe(200);
  });

  it('refuses queued requests, and serves those with a slot', async ({ cleanUp }) => {
    const gateway = await startLimited(cleanUp, { maxInFlightRequests: 2 }, withAdmin);
    const standing = gateway.client();
    expect((await standing.ask(get())).status).toBe(200);
    for (let turn = 0; turn < 2; turn += 1) gateway.client().send(get('/held'));
    await eventually(() => gateway.upstream.held === 2);
    const waiting = gateway.client().send(get('/waits'));
    await eventually(() => gateway.state.requestsQueued() === 1);
    const limits = { maxInFlightRequests: 2, maxMemoryBytes: 1_048_576 };
    await gateway.reloadLimits(limits);
    const flushed = await waiting.answer();
    expect([flushed.status, flushed.headers['retry-after'], JSON.parse(flushed.body).code]).toEqual([
      503,
      '1',
      'memory_limit_reached',
    ]);
    expect(JSON.parse((await standing.ask(get())).body).code).toBe('memory_limit_reached');
    expect(limitLines(gateway).map(({ fields }) => [fields['limit_name'], fields['client_ip']])).toEqual([
      ['max-memory-bytes', null],
      ['max-memory-bytes', '127.0.0.1'],
      ['max-memory-bytes', '127.0.0.1'],
    ]);
    gateway.upstream.release();
    await eventually(() => gateway.state.requestsInFlight() === 1);
    expect((await standing.ask(get())).status).toBe(200);
    expect(gateway.upstream.reached).not.toContain('/waits');
  });
});

/** Of a machine whose size the test does not choose: so many octets are one percent. */
const onePercent = (): number => {
  const constrained = process.constrainedMemory();
  return (constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()) / 100;
};

describe.each([
  ['max-memory-bytes', { maxMemoryBytes: 400_000_000 }, 400_000_000, 400_000_000],
  ['max-memory-percent', { maxMemoryPercent: 40 }, Math.floor(40 * onePercent()), 40],
])('%s', (name, limits, octets, limit) => {
  it('admits connections up to it, none above, and again below nine tenths of it', async ({ cleanUp }) => {
    let resident = octets - 1;
    const gateway = await startLimited(cleanUp, limits, withAdmin, { residentBytes: () => resident });
    expect((await gateway.ask(get())).status).toBe(200);
    // A reload looks at once, as every quarter of a second does.
    const look = () => gateway.reloadLimits(limits);
    resident = octets;
    await look();
    expect((await gateway.ask(get())).status).toBe(200);
    resident = octets + 1;
    await look();
    expect(await ready(cleanUp, gateway)).toEqual(shortOf);
    const refused = await gateway.client().answer();
    expect(refused.status).toBe(503);
    gateway.logger.lines.splice(
      gateway.logger.lines.findIndex(({ message }) => message === 'the gateway is short of memory'),
      1,
    );
    expect(await refusalOf(gateway, refused)).toEqual({
      status: 503,
      code: 'memory_limit_reached',
      retryAfter: '1',
      closes: true,
      limit_name: name,
      limit,
      actual: name === 'max-memory-bytes' ? octets + 1 : limit,
      client_ip: '127.0.0.1',
      isTraced: true,
      counted: { [`gateway_request_limit_reached_total ${name}`]: 1 },
    });
    resident = Math.ceil(octets * 0.9);
    await look();
    expect((await gateway.client().answer()).status).toBe(503);
    resident = Math.ceil(octets * 0.9) - 1;
    await look();
    expect((await gateway.ask(get())).status).toBe(200);
    expect(await ready(cleanUp, gateway)).toEqual({ status: 200, reasons: undefined });
  });
});

it('memory is checked periodically', async ({ cleanUp }) => {
  let resident = 1;
  const limits = { maxMemoryBytes: 400_000_000 };
  const gateway = await startLimited(cleanUp, limits, withAdmin, { residentBytes: () => resident });
  resident = 500_000_000;
  await eventually(() => gateway.state.memoryLimit()?.isShort === true);
  expect(await ready(cleanUp, gateway)).toEqual(shortOf);
  resident = 1;
  await eventually(() => gateway.state.memoryLimit()?.isShort === false);
  expect((await gateway.ask(get())).status).toBe(200);
});
