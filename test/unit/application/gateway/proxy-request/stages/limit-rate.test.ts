import { describe, expect, it } from 'vitest';
import { HmacSecretDigest } from '../../../../../../src/adapters/outbound/hmac-secret-digest/hmac-secret-digest.js';
import { MemoryRateLimitStore } from '../../../../../../src/adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import {
  RateLimiter,
  type StoreFailureMode,
} from '../../../../../../src/application/gateway/limit-rate/rate-limiter.js';
import { ProblemAnswerer } from '../../../../../../src/application/gateway/proxy-request/answer-problem.js';
import { Exchange } from '../../../../../../src/application/gateway/proxy-request/exchange.js';
import {
  limitRouteRate,
  limitUnroutedRate,
  type RateLimitIdentity,
} from '../../../../../../src/application/gateway/proxy-request/stages/limit-rate.js';
import {
  DeclaredHeaderNames,
  IdentityHeaderFilter,
} from '../../../../../../src/application/gateway/proxy-request/stages/prepare-headers.js';
import type {
  RateLimitAnswer,
  RateLimitStore,
} from '../../../../../../src/application/ports/shared/rate-limit-store.js';
import type { RateLimits } from '../../../../../../src/domain/gateway/configuration/rate-limit-options.js';
import type { LimitedRoute } from '../../../../../../src/domain/gateway/rate-limiting/applied-rate-limit.js';
import type { RateLimitKey } from '../../../../../../src/domain/gateway/rate-limiting/rate-limit-policy.js';
import { firstHeader } from '../../../../../../src/domain/http/header-list.js';
import { newExchange, strictOwner } from '../../../../../support/gateway/exchanges.js';
import { FakeRateLimitStore } from '../../../../../support/gateway/fake-rate-limit-store.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

const noRates: RateLimits = { global: null, perClient: null, perRoute: null };
const ten = { requestsPerSecond: 1, burst: 10 };
const two = { requestsPerSecond: 0.5, burst: 2 };

interface Sent {
  readonly status: number;
  readonly headers: readonly string[];
}

/** A request and its response; no response: it continues. */
const requestFrom = (address: string, headers: readonly string[] = [], path = '/') => {
  const plain = newExchange({ headers });
  const sent: Sent[] = [];
  const response = {
    ...plain.response,
    headSent: false,
    send: (status: number, fields: readonly string[]) => void sent.push({ status, headers: fields }),
  };
  const client = { ...plain.client, address };
  const exchange = new Exchange(plain.request, response, 'id', 'id', client, 0, strictOwner);
  exchange.target = { ...exchange.target, path };
  return { exchange, sent };
};

const partsOver = (store: RateLimitStore, withoutStore: StoreFailureMode = { kind: 'deny' }) => {
  const logger = new RecordingLogger();
  const counted: string[] = [];
  const dependencies = {
    limiter: new RateLimiter(store, withoutStore, { clock: new ManualClock(), logger }),
    digest: new HmacSecretDigest(),
    problems: new ProblemAnswerer(logger),
    metrics: { rateLimitExceeded: (limit: string) => void counted.push(limit) },
  };
  return { logger, counted, dependencies };
};

const partsInMemory = () => {
  const clock = new ManualClock();
  const store = new MemoryRateLimitStore(clock);
  return { ...partsOver(store), clock, store };
};

const routeWith = (key: RateLimitKey | null, limit = two): LimitedRoute => ({
  id: 'api',
  policy: key && { name: null, limit, key },
});

const refused = async (
  stages: ReturnType<typeof limitRouteRate>,
  request: ReturnType<typeof requestFrom>,
): Promise<boolean> => {
  const { exchange, sent } = request;
  const outcome = await stages.beforeAgents?.(exchange);
  expect(outcome).toBe(sent.length === 0 ? 'continue' : 'ended');
  return sent[0]?.status === 429;
};

describe('the rate of requests', () => {
  it('is unlimited without a limit', () => {
    const { dependencies } = partsInMemory();
    expect(limitRouteRate(noRates, routeWith(null), null, dependencies)).toEqual({
      beforeAgents: null,
      afterAgents: null,
    });
    expect(limitUnroutedRate(noRates, dependencies)).toBeNull();
  });

  it('admits the burst and then the rate, and advertises both to the client', async () => {
    const { dependencies, clock, logger, counted } = partsInMemory();
    const stages = limitRouteRate({ ...noRates, perClient: two }, routeWith(null), null, dependencies);
    const one = requestFrom('203.0.113.7');
    expect(await refused(stages, one)).toBe(false);
    expect(one.exchange.rateLimitFields).toEqual([
      'RateLimit-Policy',
      '"client";q=2;w=4',
      'RateLimit',
      '"client";r=1;t=2',
    ]);
    expect(await refused(stages, requestFrom('203.0.113.7'))).toBe(false);
    const third = requestFrom('203.0.113.7');
    expect(await refused(stages, third)).toBe(true);
    const headers = third.sent[0]?.headers ?? [];
    expect(firstHeader(headers, 'retry-after')).toBe('2');
    expect(firstHeader(headers, 'ratelimit')).toBe('"client";r=0;t=2');
    expect(firstHeader(headers, 'ratelimit-policy')).toBe('"client";q=2;w=4');
    expect(await refused(stages, requestFrom('203.0.113.8'))).toBe(false);
    clock.advance(1_999);
    expect(await refused(stages, requestFrom('203.0.113.7'))).toBe(true);
    clock.advance(1);
    expect(await refused(stages, requestFrom('203.0.113.7'))).toBe(false);
    expect(counted).toEqual(['max-requests-per-second-per-client', 'max-requests-per-second-per-client']);
    expect(logger.lines[0]).toEqual({
      level: 'warn',
      message: 'Too many requests',
      fields: {
        error_type: 'rate_limited',
        detail: 'max-requests-per-second-per-client is 0.5 requests per second.',
        correlation_id: 'id',
        trace_id: 'id',
        client_ip: '203.0.113.7',
        route: null,
        limit: 0.5,
        limit_name: 'max-requests-per-second-per-client',
        burst: 2,
        actual: 3,
      },
    });
  });

  it.each<[string, Partial<RateLimits>, RateLimitKey | null]>([
    ['max-requests-per-second-global', { global: two }, null],
    ['max-requests-per-second-per-client', { perClient: two }, null],
    ['max-requests-per-second-per-route', { perRoute: two }, null],
    ['rate-limit', {}, { kind: 'client_ip' }],
    ['rate-limit', {}, { kind: 'path' }],
    ['rate-limit', {}, { kind: 'route' }],
    ['rate-limit', {}, { kind: 'header', name: 'x-api-key' }],
  ])('is held to %s (%o, %o), under that name', async (name, rates, key) => {
    const { dependencies, counted } = partsInMemory();
    const stages = limitRouteRate({ ...noRates, ...rates }, routeWith(key), null, dependencies);
    const outcomes: boolean[] = [];
    for (let index = 0; index < 3; index += 1) outcomes.push(await refused(stages, requestFrom('203.0.113.7')));
    expect(outcomes).toEqual([false, false, true]);
    expect(counted).toEqual([name]);
  });

  it('charges no limit if another one refuses', async () => {
    const { dependencies } = partsInMemory();
    const rates = { ...noRates, global: { requestsPerSecond: 0.001, burst: 4 } };
    const stages = limitRouteRate(rates, routeWith({ kind: 'client_ip' }), null, dependencies);
    for (let index = 0; index < 20; index += 1) await refused(stages, requestFrom('203.0.113.7'));
    expect(await refused(stages, requestFrom('203.0.113.8'))).toBe(false);
    expect(await refused(stages, requestFrom('203.0.113.8'))).toBe(false);
    const fifth = requestFrom('203.0.113.9');
    expect(await refused(stages, fifth)).toBe(true);
    expect(firstHeader(fifth.sent[0]?.headers ?? [], 'ratelimit')).toBe('"global";r=0;t=1000, "route-policy";r=2;t=1');
  });

  it('does not show clients the limits that all share, unless they refuse', async () => {
    const { dependencies } = partsInMemory();
    const rates = { ...noRates, global: ten, perRoute: ten };
    const stages = limitRouteRate(rates, routeWith(null), null, dependencies);
    const { exchange, sent } = requestFrom('203.0.113.7');
    await stages.beforeAgents?.(exchange);
    expect([exchange.rateLimitFields, sent]).toEqual([[], []]);
  });

  it('is counted per value of a header, per path, or for the whole route', async () => {
    const values = async (key: RateLimitKey, requests: readonly ReturnType<typeof requestFrom>[]) => {
      const { dependencies } = partsInMemory();
      const limit = { requestsPerSecond: 0.001, burst: 1 };
      const stages = limitRouteRate(noRates, routeWith(key, limit), null, dependencies);
      const outcomes: boolean[] = [];
      for (const request of requests) outcomes.push(await refused(stages, request));
      return outcomes;
    };
    const header = { kind: 'header', name: 'x-api-key' } as const;
    const keys = [['X-API-Key', 'a'], ['x-api-key', 'a'], ['X-API-Key', 'b'], [], ['Other', 'a']];
    expect(
      await values(
        header,
        keys.map((headers) => requestFrom('203.0.113.7', headers)),
      ),
    ).toEqual([false, true, false, false, true]);
    const paths = ['/a', '/b', '/a'].map((path) => requestFrom('203.0.113.7', [], path));
    expect(await values({ kind: 'path' }, paths)).toEqual([false, false, true]);
    const clients = ['203.0.113.7', '203.0.113.8'].map((address) => requestFrom(address));
    expect(await values({ kind: 'route' }, clients)).toEqual([false, true]);
  });

  it('is counted under a digest, never under a header value of the client', () => {
    const fake = new FakeRateLimitStore();
    const parts = partsOver(fake);
    const secret = `hunter2-${'x'.repeat(5_000)}`;
    const stages = limitRouteRate(
      noRates,
      routeWith({ kind: 'header', name: 'authorization' }),
      null,
      parts.dependencies,
    );
    stages.beforeAgents?.(requestFrom('203.0.113.7', ['Authorization', secret]).exchange);
    expect(JSON.stringify(fake.taken)).not.toContain('hunter2');
    expect(fake.taken[0]?.[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  });

  it('obeys the global and the client limit without a route', async () => {
    const { dependencies, counted } = partsInMemory();
    const stage = limitUnroutedRate({ global: ten, perClient: two, perRoute: two }, dependencies);
    const outcomes: unknown[] = [];
    for (let index = 0; index < 3; index += 1) outcomes.push(await stage?.(requestFrom('203.0.113.7').exchange));
    expect(outcomes).toEqual(['continue', 'continue', 'ended']);
    expect(counted).toEqual(['max-requests-per-second-per-client']);
  });
});

describe('a policy whose key is a header that agents own', () => {
  const key = { kind: 'header', name: 'x-user-id' } as const;
  const limit = { requestsPerSecond: 0.001, burst: 1 };
  const owned = (declared = new DeclaredHeaderNames()): RateLimitIdentity => ({
    filter: new IdentityHeaderFilter([], declared),
    userIdHeaders: ['x-user-id'],
  });

  it('is charged after the agents set the header, so that clients cannot choose a bucket', async () => {
    const { dependencies } = partsInMemory();
    const rates = { ...noRates, perClient: ten };
    const stages = limitRouteRate(rates, routeWith(key, limit), owned(), dependencies);
    const pass = async (forged: string, user: string): Promise<boolean> => {
      const { exchange, sent } = requestFrom('203.0.113.7', ['X-User-Id', forged]);
      expect(await stages.beforeAgents?.(exchange)).toBe('continue');
      exchange.forwarded.headers = ['X-User-Id', user];
      const outcome = await stages.afterAgents?.(exchange);
      expect(outcome).toBe(sent.length === 0 ? 'continue' : 'ended');
      expect(exchange.rateLimitFields.filter((part) => part === 'RateLimit')).toHaveLength(2);
      return sent[0]?.status === 429;
    };
    expect(await pass('mallory-1', 'ann')).toBe(false);
    expect(await pass('mallory-2', 'ann')).toBe(true);
    expect(await pass('mallory-2', 'ben')).toBe(false);
  });

  it('is charged before the agents if no agent owns the header, and not again', async () => {
    const { dependencies } = partsInMemory();
    const stages = limitRouteRate(
      noRates,
      routeWith({ kind: 'header', name: 'x-api-key' }, limit),
      owned(),
      dependencies,
    );
    const first = requestFrom('203.0.113.7', ['X-API-Key', 'a']);
    expect(await stages.beforeAgents?.(first.exchange)).toBe('continue');
    first.exchange.forwarded.headers = [];
    expect(await stages.afterAgents?.(first.exchange)).toBe('continue');
    expect(await refused(stages, requestFrom('203.0.113.7', ['X-API-Key', 'a']))).toBe(true);
    expect(await refused(stages, requestFrom('203.0.113.7'))).toBe(false);
  });

  it('charges each request once, even if an agent declares or drops the header meanwhile', async () => {
    const declared = new DeclaredHeaderNames();
    const store = new FakeRateLimitStore();
    const { dependencies } = partsOver(store);
    const of = (name: string) =>
      limitRouteRate(noRates, routeWith({ kind: 'header', name }, limit), owned(declared), dependencies);
    const owning = ['X-Tenant'];
    const owningNone: readonly string[] = [];
    const stages = of('x-tenant');
    for (const [before, after] of [
      [owning, owningNone],
      [owningNone, owning],
    ] as const) {
      store.taken.length = 0;
      declared.declare('auth', before);
      const { exchange } = requestFrom('203.0.113.7', ['X-Tenant', 'a']);
      await stages.beforeAgents?.(exchange);
      declared.declare('auth', after);
      await stages.afterAgents?.(exchange);
      expect(store.taken).toHaveLength(1);
    }
  });

  it('has no second stage with another key', () => {
    const { dependencies } = partsInMemory();
    const stages = limitRouteRate(noRates, routeWith({ kind: 'client_ip' }), owned(), dependencies);
    expect(stages.afterAgents).toBeNull();
  });
});

describe('a policy whose key is the user', () => {
  const limit = { requestsPerSecond: 0.001, burst: 1 };
  const identity = (...userIdHeaders: readonly string[]): RateLimitIdentity => ({
    filter: new IdentityHeaderFilter(userIdHeaders, new DeclaredHeaderNames()),
    userIdHeaders,
  });

  /** Whether requests get 429, in order. `user`: the headers that agents set. */
  const refusals = async (
    requests: readonly { readonly address?: string; readonly user: readonly string[] }[],
    rates: RateLimits = noRates,
    names: readonly string[] = ['x-user-id'],
  ): Promise<readonly boolean[]> => {
    const { dependencies } = partsInMemory();
    const stages = limitRouteRate(rates, routeWith({ kind: 'user' }, limit), identity(...names), dependencies);
    const outcomes: boolean[] = [];
    for (const { address = '203.0.113.7', user } of requests) {
      const { exchange, sent } = requestFrom(address);
      expect((await stages.beforeAgents?.(exchange)) ?? 'continue').toBe('continue');
      exchange.forwarded.headers = user;
      await stages.afterAgents?.(exchange);
      outcomes.push(sent[0]?.status === 429);
    }
    return outcomes;
  };

  it('counts each user, from any address', async () => {
    const user = (id: string, address: string) => ({ address, user: ['X-User-Id', id] });
    expect(
      await refusals([user('ann', '203.0.113.7'), user('ann', '203.0.113.8'), user('ben', '203.0.113.7')]),
    ).toEqual([false, true, false]);
  });

  it('counts requests without a user id by address, apart from users', async () => {
    const none = { user: [] };
    const named = { user: ['X-User-Id', '203.0.113.7'] };
    expect(await refusals([none, none, named, named, { ...none, address: '203.0.113.8' }])).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });

  it.each(['', ' ', '\t '])('treats the user id %j as none', async (id) => {
    expect(await refusals([{ user: [] }, { user: ['X-User-Id', id] }])).toEqual([false, true]);
  });

  it('takes the user id of the first agent that set one', async () => {
    const names = ['x-account', 'x-user-id'];
    const requests = [
      { user: ['X-User-Id', 'ann'] },
      { user: ['X-Account', 'ann'] },
      { user: ['X-User-Id', 'ann', 'X-Account', 'ben'] },
    ];
    expect(await refusals(requests, noRates, names)).toEqual([false, true, false]);
  });

  it('charges nothing before the agents without other limits', () => {
    const { dependencies } = partsInMemory();
    const stages = limitRouteRate(noRates, routeWith({ kind: 'user' }), identity('x-user-id'), dependencies);
    expect(stages.beforeAgents).toBeNull();
    expect(stages.afterAgents).not.toBeNull();
  });

  it('charges the other limits before the agents, and each once', async () => {
    const store = new FakeRateLimitStore();
    const { dependencies } = partsOver(store);
    const rates = { ...noRates, perClient: ten };
    const stages = limitRouteRate(rates, routeWith({ kind: 'user' }), identity('x-user-id'), dependencies);
    const { exchange } = requestFrom('203.0.113.7');
    await stages.beforeAgents?.(exchange);
    exchange.forwarded.headers = ['X-User-Id', 'hunter2'];
    await stages.afterAgents?.(exchange);
    expect(store.taken.map((charges) => charges.map(({ space }) => space))).toEqual([
      ['client'],
      ['route-policy api user'],
    ]);
    expect(JSON.stringify(store.taken)).not.toContain('hunter2');
  });

  it('counts by address on a route without agents, whatever the client sends', async () => {
    const { dependencies } = partsInMemory();
    const stages = limitRouteRate(noRates, routeWith({ kind: 'user' }, limit), null, dependencies);
    expect(await refused(stages, requestFrom('203.0.113.7', ['X-User-Id', 'a']))).toBe(false);
    expect(await refused(stages, requestFrom('203.0.113.7', ['X-User-Id', 'b']))).toBe(true);
  });

  it('keeps a bounded number of users, and lets them evict no address', async () => {
    const clock = new ManualClock();
    const store = new MemoryRateLimitStore(clock, 100);
    const { dependencies } = partsOver(store);
    const stages = limitRouteRate(noRates, routeWith({ kind: 'user' }, limit), identity('x-user-id'), dependencies);
    const send = async (user: readonly string[]): Promise<boolean> => {
      const { exchange, sent } = requestFrom('203.0.113.7');
      exchange.forwarded.headers = user;
      await stages.afterAgents?.(exchange);
      return sent.length > 0;
    };
    expect(await send([])).toBe(false);
    for (let index = 0; index < 1_000; index += 1) await send(['X-User-Id', `user-${index}`]);
    expect(store.sizes()).toEqual({ 'route-policy api address': 1, 'route-policy api user': 100 });
    expect(await send([])).toBe(true);
  });
});

describe('requests while the rate-limit store is unavailable', () => {
  const unavailable: RateLimitAnswer = { kind: 'unavailable', detail: 'connection refused' };
  const stagesOver = (withoutStore: StoreFailureMode) => {
    const store = new FakeRateLimitStore();
    store.answer = async () => unavailable;
    const { dependencies } = partsOver(store, withoutStore);
    return { store, stages: limitRouteRate({ ...noRates, global: ten }, routeWith(null), null, dependencies) };
  };

  it('continue with failure mode open', async () => {
    const { stages } = stagesOver({ kind: 'allow' });
    const { exchange, sent } = requestFrom('203.0.113.7');
    expect(await stages.beforeAgents?.(exchange)).toBe('continue');
    expect([sent, exchange.rateLimitFields]).toEqual([[], []]);
  });

  it('get 503 with Retry-After with failure mode closed', async () => {
    const { stages } = stagesOver({ kind: 'deny' });
    const { exchange, sent } = requestFrom('203.0.113.7');
    expect(await stages.beforeAgents?.(exchange)).toBe('ended');
    expect(exchange.outcome.errorType).toBe('rate_limit_unavailable');
    expect(sent[0]?.status).toBe(503);
    expect(firstHeader(sent[0]?.headers ?? [], 'retry-after')).toBe('1');
  });

  it('end if the client disconnects while the store is asked', async () => {
    const { stages, store } = stagesOver({ kind: 'allow' });
    store.answer = async () => ({ kind: 'taken', left: [1] });
    const { exchange } = requestFrom('203.0.113.7');
    const outcome = stages.beforeAgents?.(exchange);
    exchange.abandon();
    expect(await outcome).toBe('ended');
  });
});
