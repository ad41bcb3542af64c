import { describe, expect } from 'vitest';
import type { UpstreamConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { TrafficSplit } from '../../../src/domain/gateway/load-balancing/traffic-split.js';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { http2Call, http2Session } from '../../support/gateway/http2-session.js';
import { testConfiguration, testLimits, testRoute, testUpstream } from '../../support/gateway/in-process-gateway.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { decide, startGatewayWithAgents } from '../../support/shared/gateway-with-agents.js';
import { call } from '../../support/shared/http-call.js';

const named = (name: string, port: number, changes: Partial<UpstreamConfiguration> = {}): UpstreamConfiguration =>
  testUpstream(port, { name, ...changes });

/** An upstream that answers with its name. */
const startNamed = async (cleanUp: CleanUp, name: string): Promise<number> => {
  const upstream = await startHttpUpstream((request, response) => {
    request.resume().once('end', () => response.end(name));
  });
  cleanUp.add(() => upstream.close());
  return upstream.port;
};

const sides = (blue: number, green: number): TrafficSplit['sides'] => [
  { upstream: 'blue', weight: blue },
  { upstream: 'green', weight: green },
];

const byUser = { kind: 'cookie', name: 'uid' } as const;

interface Started {
  readonly greenPort?: number;
  readonly changes?: Partial<UpstreamConfiguration>;
}

const start = async (cleanUp: CleanUp, split: TrafficSplit, { greenPort, changes = {} }: Started = {}) => {
  const upstreams = [
    named('blue', await startNamed(cleanUp, 'blue')),
    named('green', greenPort ?? (await startNamed(cleanUp, 'green')), changes),
  ];
  const routes = [testRoute({ upstream: null, split, agents: ['judge'] })];
  const listeners = testConfiguration([]).listeners.map((listener) => ({ ...listener, http2: true }));
  const gateway = await startGatewayWithAgents(cleanUp, 0, [{ name: 'judge' }], { upstreams, routes, listeners });
  const { port } = gateway.address;
  return {
    gateway,
    upstreams,
    ask: (user: string | null = null, options = {}) =>
      call(port, { headers: user === null ? {} : { Cookie: `theme=dark; uid=${user}` }, ...options }),
    reload: async (changed: TrafficSplit) => {
      const reloaded = await gateway.reload(
        testConfiguration(upstreams, {
          listeners,
          agents: [],
          routes: [testRoute({ upstream: null, split: changed })],
        }),
      );
      expect(reloaded.ok).toBe(true);
    },
  };
};

const users = Array.from({ length: 60 }, (_, index) => `user-${index}`);

describe('a route with a split', () => {
  it('keeps each user on a side, over HTTP/1.1, HTTP/2 and bodies', async ({ cleanUp }) => {
    const { ask, gateway } = await start(cleanUp, { key: byUser, sides: sides(50, 50) });
    const session = http2Session(cleanUp, gateway.url);
    const seen = new Set<string>();
    for (const user of users) {
      const { body } = await ask(user);
      seen.add(body);
      expect((await ask(user, { method: 'POST', body: 'x'.repeat(5_000) })).body).toBe(body);
      // HTTP/2 may send each cookie in a field of its own (RFC 9113, section 8.2.3).
      const answer = await http2Call(session, { ':path': '/', cookie: ['theme=dark', `uid=${user}`] });
      expect(answer.body.toString()).toBe(body);
    }
    expect(seen).toEqual(new Set(['blue', 'green']));
  });

  it('moves users only to the side whose weight rises, and back', async ({ cleanUp }) => {
    const { ask, reload } = await start(cleanUp, { key: byUser, sides: sides(95, 5) });
    const sidesNow = async (): Promise<ReadonlySet<string>> => {
      const green = new Set<string>();
      for (const user of users) if ((await ask(user)).body === 'green') green.add(user);
      return green;
    };
    let before = await sidesNow();
    const first = before;
    for (const green of [25, 50, 100]) {
      await reload({ key: byUser, sides: sides(100 - green, green) });
      const now = await sidesNow();
      expect([...before].filter((user) => !now.has(user))).toEqual([]);
      before = now;
    }
    expect(before.size).toBe(users.length);
    await reload({ key: byUser, sides: sides(95, 5) });
    expect(await sidesNow()).toEqual(first);
    await reload({ key: byUser, sides: sides(100, 0) });
    expect((await sidesNow()).size).toBe(0);
  });

  it('divides requests without a key at random, by weight', async ({ cleanUp }) => {
    const { ask } = await start(cleanUp, { key: null, sides: sides(70, 30) });
    let green = 0;
    for (let count = 0; count < 300; count += 1) if ((await ask()).body === 'green') green += 1;
    // Six standard deviations.
    expect(green).toBeGreaterThan(90 - 48);
    expect(green).toBeLessThan(90 + 48);
  });

  it('chooses the side before agents are asked, and names it in the log', async ({ cleanUp }) => {
    const { ask, gateway } = await start(cleanUp, { key: byUser, sides: sides(50, 50) });
    const service = gateway.service();
    const names = new Map<string, unknown>();
    service.answer = (event) => {
      if (event.kind === 'request_headers') names.set(event.correlationId, event.metadata.upstreamId);
      return event.kind === 'request_headers' && event.headers.includes('deny')
        ? decide({ kind: 'block', status: 403, headers: [], body: null })
        : decide({ kind: 'allow' });
    };
    for (const user of users.slice(0, 20)) {
      const { body } = await ask(user);
      const record = gateway.accessRecords.at(-1);
      expect(record).toMatchObject({ upstream: body, route: 'all' });
      expect(names.get(record?.requestId ?? '')).toBe(body);
      const denied = await ask(user, { headers: { Cookie: `uid=${user}`, 'X-Do': 'deny' } });
      expect(denied.status).toBe(403);
      expect(gateway.accessRecords.at(-1)).toMatchObject({ upstream: body, target: null, status: 403 });
    }
    const text = await gateway.metrics();
    for (const name of ['blue', 'green']) {
      expect(text).toMatch(new RegExp(`gateway_upstream_attempts_total\\{[^}]*upstream="${name}"[^}]*\\} [1-9]`));
    }
    const completes = service.events.filter((event) => event.kind === 'request_complete');
    expect(new Set(completes.map((event) => event.upstream))).toEqual(new Set(['blue', 'green', null]));
  });

  it('answers 503 for the side without a healthy target, and serves the other', async ({ cleanUp }) => {
    const targetBreaker = { failureThreshold: 1, openMs: 60_000, probes: 1 };
    const { ask, gateway } = await start(
      cleanUp,
      { key: byUser, sides: sides(50, 50) },
      { greenPort: await freePort(), changes: { targetBreaker, sparesLastTarget: false } },
    );
    const statuses = new Map<string, number>();
    for (const user of [...users, ...users]) statuses.set(user, (await ask(user)).status);
    expect(new Set(statuses.values())).toEqual(new Set([200, 503]));
    const [refused] = [...statuses].filter(([, status]) => status === 503);
    const answer = await ask(refused?.[0] ?? '');
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'no_healthy_target' });
    expect(gateway.accessRecords.at(-1)).toMatchObject({ upstream: 'green', target: null });
    for (const [user, status] of statuses) if (status === 200) expect((await ask(user)).body).toBe('blue');
  });

  it('applies the timeout of the chosen upstream', async ({ cleanUp }) => {
    const hung = await startHttpUpstream(() => undefined);
    cleanUp.add(() => hung.close());
    const timeouts = { connectMs: 1_000, readMs: 1_000, requestMs: 100 };
    const { ask } = await start(
      cleanUp,
      { key: byUser, sides: sides(0, 1) },
      { greenPort: hung.port, changes: { timeouts } },
    );
    expect((await ask('a')).status).toBe(504);
  });

  it('counts the requests of all sides against the limit of the route', async ({ cleanUp }) => {
    const held: (() => void)[] = [];
    const slow = await startHttpUpstream((_, response) => void held.push(() => response.end('slow')));
    cleanUp.add(() => slow.close());
    const upstreams = [named('blue', slow.port), named('green', slow.port)];
    const routes = [testRoute({ upstream: null, split: { key: byUser, sides: sides(50, 50) } })];
    const gateway = await startGatewayWithAgents(cleanUp, 0, [], {
      upstreams,
      routes,
      limits: { ...testLimits, maxConnectionsPerRoute: 4 },
    });
    const ask = (user: string) => call(gateway.address.port, { headers: { Cookie: `uid=${user}` } });
    const answers = users.slice(0, 12).map(ask);
    const settledStatuses: number[] = [];
    for (const answer of answers) void answer.then(({ status }) => settledStatuses.push(status));
    await expect.poll(() => settledStatuses.length).toBe(8);
    expect(new Set(settledStatuses)).toEqual(new Set([503]));
    expect(gateway.state.requestsInFlightByRoute()).toEqual([{ route: 'all', inFlight: 4 }]);
    for (const release of held) release();
    await Promise.all(answers);
    expect(settledStatuses.filter((status) => status === 200)).toHaveLength(4);
  });
});
