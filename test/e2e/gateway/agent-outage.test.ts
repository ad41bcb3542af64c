import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { describe, expect } from 'vitest';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';

const it = baseIt
  .extend('outageStack', { scope: 'file' }, ({ fileCleanUp }) =>
    startStack(fileCleanUp, {
      transport: 'socket',
      agentConfig: 'api-keys "good-key:alice"',
      agentMembers: 'timeout-ms 400',
      agentArguments: ['--metrics-interval-secs', '1'],
    }),
  )
  // One gateway lives through all outages: none may leave anything behind that the next test would see.
  .extend('stack', async ({ outageStack: stack, cleanUp }) => {
    stack.upstream.reset();
    await stack.agentsPresent();
    cleanUp.add(() => stack.agent().signal('SIGCONT'));
    return stack;
  });

const credential = { 'X-API-Key': 'good-key' };
const enough = 20;

const untilEnough = (load: SteadyLoad, phase: string): Promise<void> =>
  untilTrue(`${enough} requests of the phase ${phase}`, () => load.statuses(phase).length >= enough);

/** A load that is being served. */
const startLoad = async (cleanUp: CleanUp, stack: GatewayStack): Promise<SteadyLoad> => {
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
const expectServiceBack = async (stack: GatewayStack, load: SteadyLoad): Promise<void> => {
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

describe('a gateway with an agent on its socket', () => {
  it('exports counters of the agent once for all four connections, and keeps them when the agent dies', async ({
    stack,
  }) => {
    const counted = (): Promise<number> =>
      stack.metric('gateway_agent_auth_success_total', 'agent="auth"', 'method="api_key"');
    const timed = (): Promise<number> => stack.metric('gateway_agent_auth_duration_seconds_count');
    // A counter of the agent is on /metrics from its first report with a count.
    await stack.ask({ headers: credential });
    await untilTrue('the agent has reported', async () =>
      (await stack.adminText('/metrics')).includes('gateway_agent_auth_success_total'),
    );
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

  it('refuses a request without a credential, and passes one with a credential and its identity', async ({ stack }) => {
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

  it('passes no request while the agent is dead, and every request once the agent is back', async ({
    stack,
    cleanUp,
  }) => {
    const load = await startLoad(cleanUp, stack);
    const died = stack.agent();
    load.enter('dying');
    died.signal('SIGKILL');
    await died.exited;
    load.enter('away');
    await untilEnough(load, 'away');
    expect(new Set(load.statuses('away'))).toEqual(new Set([503]));
    load.enter('after');
    stack.restartAgent();
    await expectServiceBack(stack, load);
    expect(load.all()).not.toContain(0);
  });

  it('answers only 200 or 503 while the agent drains and is replaced', async ({ stack, cleanUp }) => {
    const load = await startLoad(cleanUp, stack);
    const replaced = stack.agent();
    load.enter('draining');
    replaced.signal('SIGTERM');
    expect(await replaced.exited).toEqual({ code: 0, signal: null });
    load.enter('after');
    stack.restartAgent();
    await expectServiceBack(stack, load);
    expect([...new Set(load.all())].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });

  it('answers 504 while the agent hangs, and passes every request once the agent continues', async ({
    stack,
    cleanUp,
  }) => {
    const load = await startLoad(cleanUp, stack);
    load.enter('stopping');
    stack.agent().signal('SIGSTOP');
    await untilStopped(stack.agent().pid);
    load.enter('away');
    await untilEnough(load, 'away');
    expect([...new Set(load.statuses('away'))].filter((status) => status !== 503 && status !== 504)).toEqual([]);
    expect(load.statuses('away')).toContain(504);
    load.enter('after');
    stack.agent().signal('SIGCONT');
    await expectServiceBack(stack, load);
    expect(load.all()).not.toContain(0);
  });

  it('recovers when a hanging agent is replaced', async ({ stack, cleanUp }) => {
    const load = await startLoad(cleanUp, stack);
    load.enter('away');
    stack.agent().signal('SIGSTOP');
    await untilTrue('a time-out', () => load.statuses('away').includes(504));
    stack.agent().signal('SIGKILL');
    await stack.agent().exited;
    load.enter('after');
    stack.restartAgent();
    await expectServiceBack(stack, load);
  });
});

describe('clients that disconnect', () => {
  const startRequests = (stack: GatewayStack, count: number): readonly ClientRequest[] =>
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

  const figures = async (stack: GatewayStack): Promise<Figures> =>
    (await stack.report('/admin/stats')) as unknown as Figures;

  const expectNothingLeft = (stack: GatewayStack): Promise<void> =>
    untilTrue('nothing is left of them', async () => {
      const { requests_in_flight: inFlight, connections, agents } = await figures(stack);
      const { in_flight: calls, queue_depth: waiting } = agents.auth;
      return inFlight + connections.total + (connections.per_route['all'] ?? 0) + calls + waiting === 0;
    });

  it('leave no call, request or connection behind, and cancel their requests at the upstream', async ({ stack }) => {
    let cancelled = 0;
    stack.upstream.answer = (_received, response) => {
      response.once('close', () => {
        cancelled += 1;
      });
    };
    const sent = startRequests(stack, 30);
    await untilTrue('all are at the upstream', () => stack.upstream.received.length === sent.length);
    for (const each of sent) each.destroy();
    await expectNothingLeft(stack);
    await untilTrue('all are cancelled', () => cancelled === sent.length);
  });

  it('leave no call, request or connection behind while the agent decides, and do not reach the upstream', async ({
    stack,
  }) => {
    stack.rewrite({ agentMembers: 'timeout-ms 20000' });
    await stack.reload();
    await stack.agentsPresent();
    stack.agent().signal('SIGSTOP');
    await untilStopped(stack.agent().pid);
    const sent = startRequests(stack, 30);
    await untilTrue('all are with the agent', async () => (await figures(stack)).agents.auth.in_flight === sent.length);
    for (const each of sent) each.destroy();
    await expectNothingLeft(stack);
    stack.agent().signal('SIGCONT');
    await untilTrue('the agent judges again', async () => (await stack.ask({ headers: credential })).status === 200);
    expect(stack.upstream.received).toHaveLength(1);
  });
});
