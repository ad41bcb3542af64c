import { Agent } from 'node:http';
import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { type StackPlan, startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';

/** Whether a port of 127.0.0.1 takes connections. */
const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** A gateway with a request that its upstream answers when told to. */
const withRequestInFlight = async (cleanUp: CleanUp, plan: StackPlan = {}) => {
  const stack = await startStack(cleanUp, plan);
  const held: (() => void)[] = [];
  stack.upstream.answer = (request, response) => {
    request.resume();
    held.push(() => response.end('in time'));
  };
  const keptAlive = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanUp.add(() => keptAlive.destroy());
  const inFlight = call(stack.port, { headers: { 'X-API-Key': 'key' }, agent: keptAlive });
  // Where the gateway is ended at once, the test looks at its exit.
  inFlight.catch(() => undefined);
  await untilTrue('the request is at the upstream', () => held.length === 1);
  return { stack, inFlight, release: () => held[0]?.() };
};

describe.each([
  ['SIGTERM', { transport: 'embedded', agentConfig: 'api-keys "key:alice"' }],
  ['SIGINT', {}],
] as const)('%s', (signal, plan) => {
  it('finishes the request in flight, accepts no other, reports draining, and exits with 0', async ({ cleanUp }) => {
    const { stack, inFlight, release } = await withRequestInFlight(cleanUp, plan);
    const idle = connect(stack.port, '127.0.0.1');
    idle.on('error', () => undefined);
    const idleClosed = new Promise((resolve) => idle.once('close', resolve));
    await new Promise((resolve) => idle.once('connect', resolve));

    stack.gateway.signal(signal);
    await stack.gateway.wrote(/the gateway drains/);
    await untilTrue('new connections are refused', async () => !(await isOpen(stack.port)));
    await idleClosed;
    const ready = await call(stack.adminPort, { path: '/ready' });
    expect(ready.status).toBe(503);
    expect(JSON.parse(ready.body)).toMatchObject({ ready: false, reasons: ['draining'] });
    const health = await call(stack.adminPort, { path: '/health' });
    expect(health).toMatchObject({ status: 200, body: expect.stringContaining('draining') });

    release();
    const answer = await inFlight;
    expect(answer).toMatchObject({ status: 200, body: 'in time' });
    expect(answer.headers.connection).toBe('close');
    expect(await stack.gateway.exited).toEqual({ code: 0, signal: null });
    expect(stack.gateway.output()).toContain('the gateway has ended');
  });
});

describe('a shutdown', () => {
  it('ends at once on a second signal', async ({ cleanUp }) => {
    const { stack, inFlight } = await withRequestInFlight(cleanUp);
    stack.gateway.signal('SIGTERM');
    await stack.gateway.wrote(/the gateway drains/);
    stack.gateway.signal('SIGTERM');
    expect((await stack.gateway.exited).code).toBe(1);
    await expect(inFlight).rejects.toThrow();
  });

  it('aborts requests in flight after the grace period, and exits with 0', async ({ cleanUp }) => {
    const stack = await startStack(cleanUp, { blocks: 'system { graceful-shutdown-timeout-secs 1 }' });
    stack.upstream.answer = (request) => request.resume();
    const inFlight = stack.ask();
    inFlight.catch(() => undefined);
    await untilTrue('the request is at the upstream', () => stack.upstream.received.length === 1);
    stack.gateway.signal('SIGTERM');
    expect(await stack.gateway.exited).toEqual({ code: 0, signal: null });
    await expect(inFlight).rejects.toThrow();
  });

  it('loses no log line', async ({ cleanUp }) => {
    const stack = await startStack(cleanUp, { blocks: 'limits { max-connections-per-client 1000 }' });
    const ids = Array.from({ length: 200 }, (_, index) => `request-${index}-of-the-log`);
    const answers = await Promise.all(ids.map((id) => stack.ask({ headers: { 'X-Correlation-Id': id } })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    stack.gateway.signal('SIGTERM');
    expect((await stack.gateway.exited).code).toBe(0);
    expect(ids.filter((id) => !stack.gateway.output().includes(`"${id}"`))).toEqual([]);
  });
});
