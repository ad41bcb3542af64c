import { Agent } from 'node:http';
import { describe, expect } from 'vitest';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, type StackPlan, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { SteadyLoad } from '../../support/shared/steady-load.js';
import { endSuccessors, isAlive, successorsOf, untilGone, upgraded } from '../../support/shared/successors.js';

const start = async (cleanUp: CleanUp, plan: StackPlan = {}): Promise<GatewayStack> => {
  const stack = await startStack(cleanUp, plan);
  cleanUp.add(() => endSuccessors(stack.gateway));
  return stack;
};

describe('SIGUSR2', () => {
  it('replaces the program twice without losing a request on new or kept connections', async ({ cleanUp }) => {
    // A target that nobody listens on.
    const stack = await start(cleanUp, { adminToken: 'let-me-in', upstreamMembers: 'target "127.0.0.1:9"' });
    const drained = await call(stack.adminPort, {
      path: '/admin/upstreams/back/targets/127.0.0.1:9/drain',
      method: 'POST',
      headers: { Authorization: 'Bearer let-me-in' },
    });
    expect(drained.status).toBe(200);
    const keptAlive = new Agent({ keepAlive: true, maxSockets: 4 });
    cleanUp.add(() => keptAlive.destroy());
    let asked = 0;
    const load = new SteadyLoad('all', 6, async () => {
      asked += 1;
      const { status } = await call(stack.port, asked % 3 === 0 ? {} : { agent: keptAlive });
      return status;
    });
    const second = await upgraded(stack.gateway, stack.gateway.pid);
    const third = await upgraded(stack.gateway, second);
    const served = load.all().length;
    await untilTrue('the third serves', () => load.all().length > served + 50);
    await load.stop();
    expect(load.all().length).toBeGreaterThan(200);
    expect(load.all().filter((status) => status !== 200)).toEqual([]);
    expect(await stack.report('/status')).toMatchObject({ status: 'healthy' });
    // Neither was what somebody had said forgotten: a request to it would have failed.
    expect(JSON.stringify(await stack.report('/admin/upstreams'))).toMatch(/"127\.0\.0\.1:9"[^}]*"drained":true/);
    process.kill(third, 'SIGTERM');
    await untilGone(third);
    expect(await stack.gateway.exited).toEqual({ code: 0, signal: null });
  });

  it('keeps an idle connection for one last request', async ({ cleanUp }) => {
    const { port, gateway } = await start(cleanUp);
    const kept = new Agent({ keepAlive: true });
    cleanUp.add(() => kept.destroy());
    await call(port, { agent: kept });
    gateway.signal('SIGUSR2');
    await gateway.wrote(new RegExp(`"predecessor":${gateway.pid}[^\\n]*has taken over`));
    // Longer than a gateway waits that is told to end for good.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(isAlive(gateway.pid)).toBe(true);
    const { status, headers } = await call(port, { agent: kept });
    expect([status, headers.connection]).toEqual([200, 'close']);
    await untilGone(gateway.pid);
    expect((await call(port, { agent: kept })).status).toBe(200);
  });

  it('keeps the program if its successor fails to start', async ({ cleanUp }) => {
    const stack = await start(cleanUp);
    stack.folder.write('gateway.kdl', 'nonsense { }');
    stack.gateway.signal('SIGUSR2');
    await stack.gateway.wrote(/the program was not replaced and continues: it exited with code 1/);
    const [successor] = successorsOf(stack.gateway);
    await untilGone(successor as number);
    expect((await stack.ask()).status).toBe(200);
    expect(isAlive(stack.gateway.pid)).toBe(true);
    expect(await stack.gateway.stop()).toEqual({ code: 0, signal: null });
  });

  it('is cancelled by SIGTERM, which ends program and successor', async ({ cleanUp }) => {
    const stack = await start(cleanUp);
    stack.gateway.signal('SIGUSR2');
    await untilTrue('there is a successor', () => successorsOf(stack.gateway).length === 1);
    const [successor] = successorsOf(stack.gateway);
    stack.gateway.signal('SIGTERM');
    await untilGone(successor as number);
    expect(await stack.gateway.exited).toEqual({ code: 0, signal: null });
    await expect(call(stack.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
