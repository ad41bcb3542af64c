import { describe, expect, it } from 'vitest';
import { evictionLogIntervalMs } from '../../../../../src/application/agent/exchange-token/exchange-log.js';
import type { RequestHeadersEvent } from '../../../../../src/domain/agent-protocol/messages.js';
import { ExchangeWorld, seen } from '../../../../support/agent/fake-token-exchange.js';

const heads: readonly Partial<RequestHeadersEvent>[] = [
  { method: 'GET' },
  { headers: ['content-type', 'text/plain'] },
  { headers: ['content-length', '2000000'] },
  { uri: '/token/exchange?client_secret=abc' },
];

describe('a request whose form is not read', () => {
  it('still consumes the rate of its address', async () => {
    const world = new ExchangeWorld({ options: { rateLimit: { requestsPerSecond: 0.001, burst: heads.length } } });
    const statuses: number[] = [];
    for (const head of heads) statuses.push(seen(await world.exchange({}, head)).status);
    expect(statuses).toEqual([405, 400, 413, 400]);
    for (const head of [...heads, {}]) expect(seen(await world.exchange({}, head)).status).toBe(429);
  });

  it('is counted each time, and logged at intervals with the number', async () => {
    const world = new ExchangeWorld();
    const get = () => world.exchange({}, { method: 'GET' });
    for (let time = 0; time < 5; time += 1) await get();
    // Another reason has lines of its own.
    await world.exchange({}, { uri: '/token/exchange?scope=a' });
    world.clock.advance(evictionLogIntervalMs - 1);
    await get();
    world.clock.advance(1);
    await get();
    await get();
    expect(world.results.filter((result) => result === 'method_not_allowed')).toHaveLength(8);
    expect(world.logger.lines.map(({ level, fields }) => [level, fields['reason'], fields['untold']])).toEqual([
      ['warn', 'method_not_allowed', 0],
      ['warn', 'parameters_in_query', 0],
      ['warn', 'method_not_allowed', 5],
    ]);
  });

  it.each(['too_large', 'overloaded', 'dropped'] as const)('includes a form that could not be received: %s', (kind) => {
    const world = new ExchangeWorld();
    for (let time = 0; time < 3; time += 1) world.endpoint.refuseForm({ kind, event: world.event() });
    expect(world.results).toHaveLength(3);
    expect(world.logger.lines).toHaveLength(1);
  });
});

describe('an exchange', () => {
  it('logs one line each time, refused or not', async () => {
    const world = new ExchangeWorld();
    for (const scope of ['read', 'admin', 'admin', 'admin']) await world.exchange({ scope });
    expect(world.logger.lines).toHaveLength(4);
    expect(world.logger.lines.some(({ fields }) => 'untold' in fields)).toBe(false);
  });
});
