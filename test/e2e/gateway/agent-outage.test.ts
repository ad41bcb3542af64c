import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { CleanUp } from '../../support/shared/clean-up.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';

const cleanUpAll = new CleanUp();
/** Of one test. */
const cleanUp = new CleanUp();
let stack: GatewayStack;
let sayOk: GatewayStack['upstream']['answer'];

// One gateway lives through all of these outages: none may leave anything behind that the next one would show.
beforeAll(async () => {
  stack = await startStack(cleanUpAll, {
    transport: 'socket',
    agentConfig: 'api-keys "good-key:alice"',
    agentMembers: 'timeout-ms 400',
    agentArguments: ['--metrics-interval-secs', '1'],
  });
  sayOk = stack.upstream.answer;
});
beforeEach(async () => {
  stack.upstream.answer = sayOk;
  await stack.agentsPresent();
  stack.upstream.received.splice(0);
});
afterEach(async () => {
  stack.agent().signal('SIGCONT');
  await cleanUp.run();
});
afterAll(() => cleanUpAll.run());

const credential = { 'X-API-Key': 'good-key' };
const enough = 20;

const untilEnough = (load: SteadyLoad, phase: string): Promise<void> =>
  untilTrue(`${enough} requests of the phase ${phase}`, () => load.statuses(phase).length >= enough);

/** A load that is being served. */
const startLoad = async (): Promise<SteadyLoad> => {
  const agent = new Agent({ keepAlive: true });
  const load = new SteadyLoad('before', 4, async () => (await stack.ask({ headers: credential, agent })).status);
  cleanUp.add(async () => {
    await load.stop();
    agent.destroy();
  });
  await untilEnough(load, 'before');
  expect(new Set(load.statuses('before'))).toEqual(new Set([200]));
  return load;
};

/** Ends the load once it is served again, and looks at all that it has seen. */
const expectServiceBack = async (load: SteadyLoad): Promise<void> => {
  await untilTrue('service returns', () => load.statuses('after').at(-1) === 200);
  load.enter('stable');
  await untilEnough(load, 'stable');
  await load.stop();
  expect(new Set(load.statuses('stable'))).toEqual(new Set([200]));
  // What the upstream has seen is what was answered with 200, and nothing else.
  expect(stack.upstream.received).toHaveLength(load.all().filter((status) => status === 200).length);
};

const untilStopped = (pid: number): Promise<void> =>
  untilTrue('the agent stands still', () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  });

describe('an agent on its socket', () => {
  it('has what it counts on the /metrics of the gateway, once for its four connections, and goes on over its death', async () => {
    // The agent's metrics are on the page once it has counted something.
    await stack.ask({ headers: credential });
    await untilTrue('the agent has reported its metrics', async () =>
      stack.metric('gateway_agent_auth_duration_seconds_count').then(
        (count) => count > 0,
        () => false,
      ),
    );
    const counted = (): Promise<number> =>
      stack.metric('gateway_agent_auth_success_total', 'agent="auth"', 'method="api_key"');
    const timed = (): Promise<number> => stack.metric('gateway_agent_auth_duration_seconds_count');
    const [countedBefore, timedBefore] = [await counted(), await timed()];
    const seen: number[] = [];
    const untilCounted = (more: number): Promise<void> =>
      untilTrue(`${more} requests more are counted`, async () => {
        seen.push((await counted()) - countedBefore);
        return seen.at(-1) === more;
      });
    for (let request = 0; request < 3; request += 1) await stack.ask({ headers: credential });
    await untilCounted(3);
    stack.agent().signal('SIGKILL');
    await stack.agent().exited;
    await untilCounted(3);
    stack.restartAgent();
    await stack.agentsPresent();
    for (let request = 0; request < 2; request += 1) await stack.ask({ headers: credential });
    await untilCounted(5);
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
    expect((await timed()) - timedBefore).toBe(5);
    expect(await stack.metric('gateway_agent_metrics_dropped_total')).toBe(0);
  });

  it('refuses what has no credential, and lets pass what has one, with its identity', async () => {
    const refused = await stack.ask();
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer realm="gateway"');
    expect(stack.upstream.received).toEqual([]);
    expect((await stack.ask({ headers: credential })).status).toBe(200);
    const [received] = stack.upstream.received;
    expect(received && valuesOf(received, 'x-user-id')).toEqual(['alice']);
    expect(received && valuesOf(received, 'x-auth-method')).toEqual(['api_key']);
    expect(received && valuesOf(received, 'x-api-key')).toEqual([]);
  });

  it('lets nothing pass from its death on, and everything once it is back', async () => {
    const load = await startLoad();
    const died = stack.agent();
    load.enter('dying');
    died.signal('SIGKILL');
    await died.exited;
    load.enter('away');
    await untilEnough(load, 'away');
    expect(new Set(load.statuses('away'))).toEqual(new Set([503]));
    load.enter('after');
    stack.restartAgent();
    await expectServiceBack(load);
    expect(load.all()).not.toContain(0);
  });

  it('lets nothing pass while it drains and is replaced, and fails no request with anything but 503', async () => {
    const load = await startLoad();
    const replaced = stack.agent();
    load.enter('draining');
    replaced.signal('SIGTERM');
    expect(await replaced.exited).toEqual({ code: 0, signal: null });
    load.enter('after');
    stack.restartAgent();
    await expectServiceBack(load);
    expect([...new Set(load.all())].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });

  it('lets nothing pass while it stands still, 504 in time, and everything once it goes on', async () => {
    const load = await startLoad();
    load.enter('stopping');
    stack.agent().signal('SIGSTOP');
    await untilStopped(stack.agent().pid);
    load.enter('away');
    await untilEnough(load, 'away');
    expect([...new Set(load.statuses('away'))].filter((status) => status !== 503 && status !== 504)).toEqual([]);
    expect(load.statuses('away')).toContain(504);
    load.enter('after');
    stack.agent().signal('SIGCONT');
    await expectServiceBack(load);
    expect(load.all()).not.toContain(0);
  });

  it('is replaced while it stands still', async () => {
    const load = await startLoad();
    load.enter('away');
    stack.agent().signal('SIGSTOP');
    await untilTrue('a time-out', () => load.statuses('away').includes(504));
    stack.agent().signal('SIGKILL');
    await stack.agent().exited;
    load.enter('after');
    stack.restartAgent();
    await expectServiceBack(load);
  });
});

describe('clients that go away', () => {
  const startRequests = (count: number): readonly ClientRequest[] =>
    Array.from({ length: count }, () => {
      const sent = request({ host: '127.0.0.1', port: stack.port, agent: false, headers: credential });
      sent.on('error', () => undefined);
      sent.end();
      return sent;
    });

  interface Figures {
    readonly requests_in_flight: number;
    readonly connections: { readonly total: number; readonly per_route: Readonly<Record<string, number>> };
    readonly agents: { readonly auth: { readonly in_flight: number; readonly queue_depth: number } };
  }

  const figures = async (): Promise<Figures> => (await stack.report('/admin/stats')) as unknown as Figures;

  const expectNothingLeft = (): Promise<void> =>
    untilTrue('nothing is left of them', async () => {
      const { requests_in_flight: inFlight, connections, agents } = await figures();
      const { in_flight: calls, queue_depth: waiting } = agents.auth;
      return inFlight + connections.total + (connections.per_route['all'] ?? 0) + calls + waiting === 0;
    });

  it('leave no call, request or connection behind while the upstream works, and cancel their requests there', async () => {
    let cancelled = 0;
    stack.upstream.answer = (_received, response) => {
      response.once('close', () => {
        cancelled += 1;
      });
    };
    const sent = startRequests(30);
    await untilTrue('all are at the upstream', () => stack.upstream.received.length === sent.length);
    for (const each of sent) each.destroy();
    await expectNothingLeft();
    await untilTrue('all are cancelled', () => cancelled === sent.length);
  });

  it('leave no call, request or connection behind while the agent judges, and do not reach the upstream', async () => {
    stack.rewrite({ agentMembers: 'timeout-ms 20000' });
    await stack.reload();
    await stack.agentsPresent();
    stack.agent().signal('SIGSTOP');
    await untilStopped(stack.agent().pid);
    const sent = startRequests(30);
    await untilTrue('all are with the agent', async () => (await figures()).agents.auth.in_flight === sent.length);
    for (const each of sent) each.destroy();
    await expectNothingLeft();
    stack.agent().signal('SIGCONT');
    await untilTrue('the agent judges again', async () => (await stack.ask({ headers: credential })).status === 200);
    expect(stack.upstream.received).toHaveLength(1);
  });
});
