import { beforeEach, describe, expect } from 'vitest';
import { AgentEmbeddedClient } from '../../../src/adapters/outbound/agent-embedded-client/agent-embedded-client.js';
import { SystemClock } from '../../../src/adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../../src/adapters/outbound/node-scheduler/node-scheduler.js';
import { allowAnswer, type HeaderOperation } from '../../../src/domain/agent-protocol/messages.js';
import type { GatewayConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { RateLimitPolicy } from '../../../src/domain/gateway/rate-limiting/rate-limit-policy.js';
import { echo, startHttpUpstream } from '../../support/gateway/http-upstream.js';
import {
  type InProcessGateway,
  startInProcess,
  testAgent,
  testConfiguration,
  testRoute,
  testUpstream,
} from '../../support/gateway/in-process-gateway.js';
import { plainPolicies } from '../../support/gateway/plain-configurations.js';
import { rawExchange } from '../../support/gateway/raw-exchange.js';
import { ShapedAgentService } from '../../support/shared/agent-gateway.js';
import { it } from '../../support/shared/fixtures.js';
import { RecordingLogger } from '../../support/shared/recording-logger.js';

let gateway: InProcessGateway;
let configuration: GatewayConfiguration;
let auth: ShapedAgentService;
let other: ShapedAgentService;
let upstreamPort: number;

const limit = { requestsPerSecond: 0.001, burst: 2 };
const user = { kind: 'user' } as const;

/** A configuration with a new bucket name, so that tests share no buckets. */
let names = 0;
const configured = (rateLimit: Partial<RateLimitPolicy> = {}, agents = ['auth']): GatewayConfiguration => {
  names += 1;
  const policy = { name: `test-${names}`, limit, key: user, ...rateLimit };
  const plain = testConfiguration([testUpstream(upstreamPort)], {
    agents: [{ ...testAgent('auth'), config: { 'user-id-header': 'X-Who' }, failureMode: 'open' }, testAgent('other')],
    routes: [testRoute({ agents, policies: { ...plainPolicies, rateLimit: policy } })],
  });
  return { ...plain, listeners: plain.listeners.map((listener) => ({ ...listener, trustedProxies: ['127.0.0.1'] })) };
};

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = await startHttpUpstream(echo);
  cleanUp.add(() => upstream.close());
  upstreamPort = upstream.port;
  [auth, other] = [new ShapedAgentService(), new ShapedAgentService()];
  auth.said = { ownedHeaders: ['X-Who'] };
  configuration = configured();
  gateway = await startInProcess(configuration, {
    createAgent: ({ name, timeoutMs, config }) =>
      new AgentEmbeddedClient(
        { name, timeoutMs, maxQueueDepth: 100, config, proxyId: 'test', proxyVersion: '0.0.0' },
        name === 'auth' ? auth : other,
        new SystemClock(),
        new NodeScheduler(),
        new RecordingLogger(),
      ),
  });
  cleanUp.add(() => gateway.stop());
});

const use = async (next: GatewayConfiguration): Promise<void> => {
  configuration = next;
  expect((await gateway.reload(next)).ok).toBe(true);
};

const setting = (name: string, ...values: readonly string[]): readonly HeaderOperation[] =>
  values.map((value, index) => ({ kind: index === 0 ? 'set' : 'add', name, value }));

const identify = (...operations: readonly HeaderOperation[]): void => {
  auth.answer = () => ({ ...allowAnswer, requestHeaders: operations });
};

beforeEach(async () => {
  identify();
  other.answer = () => allowAnswer;
  await use(configured());
});

/** Statuses of requests from an address, each with these fields. */
const send = async (count: number, address = '192.0.2.1', fields: readonly string[] = []): Promise<number[]> => {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const head = ['GET / HTTP/1.1', 'Host: a.example', `X-Forwarded-For: ${address}`, ...fields, 'Connection: close'];
    statuses.push((await rawExchange(gateway.address, `${head.join('\r\n')}\r\n\r\n`)).status);
  }
  return statuses;
};

describe('a rate for each user', () => {
  it('follows the user over addresses', async () => {
    identify(...setting('X-Who', 'ann'));
    expect(await send(2, '192.0.2.1')).toEqual([200, 200]);
    expect(await send(1, '192.0.2.2')).toEqual([429]);
    identify(...setting('X-Who', 'ben'));
    expect(await send(1, '192.0.2.2')).toEqual([200]);
  });

  it('counts requests without a user id by address', async () => {
    expect(await send(3, '192.0.2.1')).toEqual([200, 200, 429]);
    expect(await send(1, '192.0.2.2')).toEqual([200]);
  });

  it('counts requests by address while the agent fails open', async () => {
    const { agents } = configuration;
    await use({ ...configuration, agents: agents.map((agent) => ({ ...agent, timeoutMs: 50 })) });
    auth.answer = () => new Promise(() => undefined);
    expect(await send(3, '192.0.2.1')).toEqual([200, 200, 429]);
  });

  it('charges no request that an agent refuses', async () => {
    auth.answer = () => ({
      ...allowAnswer,
      requestHeaders: setting('X-Who', 'ann'),
      decision: { kind: 'block', status: 403, body: null, headers: [] },
    });
    expect(await send(5)).toEqual([403, 403, 403, 403, 403]);
    identify(...setting('X-Who', 'ann'));
    expect(await send(3)).toEqual([200, 200, 429]);
  });

  it.for(['192.0.2.1', 'address 192.0.2.1', 'none', '', ' '])(
    'shares no bucket with the address if the user id is "%s"',
    async (id) => {
      expect(await send(3, '192.0.2.1')).toEqual([200, 200, 429]);
      identify(...setting('X-Who', id));
      // An empty user id is none.
      expect(await send(1, '192.0.2.1')).toEqual([id.trim() === '' ? 429 : 200]);
    },
  );

  it.for([
    ['X-Who: mallory', 'X-User-Id: mallory'],
    ['x_who: mallory', 'X.Who: mallory'],
    ['X-Who: one', 'X-Who: two', 'Connection: X-Who'],
    ['Connection: x-who, close'],
    ['Connection: X-User-Id', 'Keep-Alive: X-Who', 'Trailer: X-Who'],
  ])('ignores what the client sends: %j', async (fields) => {
    identify(...setting('X-Who', 'ann'));
    expect(await send(3, '192.0.2.1', fields)).toEqual([200, 200, 429]);
    identify();
    expect(await send(3, '192.0.2.1', fields)).toEqual([200, 200, 429]);
  });

  it('ignores a user id in trailers', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a.example\r\nX-Forwarded-For: 192.0.2.1\r\nTransfer-Encoding: chunked\r\n';
    const statuses: number[] = [];
    for (const id of ['a', 'b', 'c']) {
      const body = `Trailer: X-Who\r\nConnection: close\r\n\r\n1\r\nx\r\n0\r\nX-Who: ${id}\r\n\r\n`;
      statuses.push((await rawExchange(gateway.address, head + body)).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('takes several values of the header as one user', async () => {
    identify(...setting('X-Who', 'ann', 'ben'));
    expect(await send(3)).toEqual([200, 200, 429]);
    identify(...setting('X-Who', 'ann'));
    expect(await send(1)).toEqual([200]);
  });

  it('ignores a header that is not the user id of an agent of the route', async () => {
    identify(...setting('X-User-Id', 'ann'));
    expect(await send(3)).toEqual([200, 200, 429]);
    identify(...setting('X-User-Id', 'ben'));
    expect(await send(1)).toEqual([429]);
  });

  it('takes the user id of the first of several agents that sets one', async () => {
    await use(configured({}, ['other', 'auth']));
    identify(...setting('X-Who', 'ann'));
    other.answer = () => ({ ...allowAnswer, requestHeaders: setting('X-User-Id', 'partner') });
    expect(await send(3)).toEqual([200, 200, 429]);
    identify(...setting('X-Who', 'ben'));
    expect(await send(1)).toEqual([429]);
    other.answer = () => allowAnswer;
    expect(await send(1)).toEqual([200]);
  });

  it('advertises the limit of the user', async () => {
    identify(...setting('X-Who', 'ann'));
    const head = 'GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';
    const { headers } = await rawExchange(gateway.address, head);
    expect(headers['ratelimit-policy']).toBe('"route-policy";q=2;w=2000');
    expect(headers['ratelimit']).toContain('"route-policy";r=1;');
  });
});

describe('a named limit over reloads', () => {
  it('keeps its buckets when routes come and go', async () => {
    identify(...setting('X-Who', 'ann'));
    expect(await send(3)).toEqual([200, 200, 429]);
    const { routes } = configuration;
    await use({ ...configuration, routes: routes.map((route) => ({ ...route, id: 'renamed' })) });
    expect(await send(1)).toEqual([429]);
    await use({ ...configuration, routes: [testRoute({ agents: ['auth'] })] });
    expect(await send(1)).toEqual([200]);
    await use({ ...configuration, routes });
    expect(await send(1)).toEqual([429]);
  });

  it('caps the tokens of a bucket at a lower burst, and keeps an empty one empty at a higher', async () => {
    const named = (burst: number): RateLimitPolicy => ({
      name: 'burst',
      limit: { requestsPerSecond: 0.001, burst },
      key: user,
    });
    identify(...setting('X-Who', 'ann'));
    await use(configured(named(10)));
    expect(await send(1)).toEqual([200]);
    await use(configured(named(2)));
    expect(await send(3)).toEqual([200, 200, 429]);
    await use(configured(named(10)));
    expect(await send(1)).toEqual([429]);
    identify(...setting('X-Who', 'ben'));
    expect(await send(11)).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });

  it('starts anew when its key changes', async () => {
    identify(...setting('X-Who', 'ann'));
    const named = (key: RateLimitPolicy['key']): Partial<RateLimitPolicy> => ({ name: 'keys', key });
    await use(configured(named(user)));
    expect(await send(3)).toEqual([200, 200, 429]);
    await use(configured(named({ kind: 'header', name: 'x-who' })));
    expect(await send(3)).toEqual([200, 200, 429]);
    await use(configured(named({ kind: 'client_ip' })));
    expect(await send(3)).toEqual([200, 200, 429]);
    await use(configured(named(user)));
    expect(await send(1)).toEqual([429]);
  });
});
