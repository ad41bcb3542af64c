import { describe, expect } from 'vitest';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';

/** A gateway with admin endpoints, in front of an upstream that answers when it is told to. */
const running = async (cleanUp: CleanUp) => {
  const held: (() => void)[] = [];
  const upstream = await startHttpUpstream((request, response) => {
    const answer = () => void response.end('in time');
    if (request.url === '/held') held.push(answer);
    else answer();
  });
  cleanUp.add(() => upstream.close());
  const admin = { address: { host: '127.0.0.1', port: 0 }, token: null, readyRequires: [] };
  const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)], { admin }));
  cleanUp.add(() => gateway.stop());
  const adminPort = gateway.gateway.addresses().admin?.port ?? 0;
  const inFlight = call(gateway.address.port, { path: '/held', headers: { Connection: 'keep-alive' } });
  await expect.poll(() => held.length).toBe(1);
  return { gateway, port: gateway.address.port, adminPort, inFlight, release: () => held[0]?.() };
};

describe('a gateway with a shutdown delay', () => {
  it('keeps serving, and reports draining on /ready', async ({ cleanUp }) => {
    const { gateway, port, adminPort, inFlight, release } = await running(cleanUp);
    const stopped = gateway.gateway.stop(10_000, { delayMs: 1_500, isReplaced: false });
    expect((await call(adminPort, { path: '/ready' })).status).toBe(503);
    expect(await call(adminPort, { path: '/health' })).toMatchObject({
      status: 200,
      body: expect.stringContaining('draining'),
    });
    const served = await call(port, { headers: { Connection: 'keep-alive' } });
    expect(served).toMatchObject({ status: 200, body: 'in time' });
    expect(served.headers.connection).not.toBe('close');
    release();
    expect((await inFlight).headers.connection).not.toBe('close');
    await stopped;
    await expect(call(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a gateway that is replaced', () => {
  it('hands over its admin address at once, and finishes requests in flight', async ({ cleanUp }) => {
    const { gateway, port, adminPort, inFlight, release } = await running(cleanUp);
    const stopped = gateway.gateway.stop(10_000, { delayMs: 0, isReplaced: true });
    await expect.poll(() => call(adminPort).catch(({ code }) => code)).toBe('ECONNREFUSED');
    await expect(call(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    release();
    const answer = await inFlight;
    expect(answer).toMatchObject({ status: 200, body: 'in time' });
    expect(answer.headers.connection).toBe('close');
    await stopped;
  });

  it('otherwise keeps its admin address until the end', async ({ cleanUp }) => {
    const { gateway, adminPort, inFlight, release } = await running(cleanUp);
    const stopped = gateway.gateway.stop(10_000);
    expect((await call(adminPort, { path: '/ready' })).status).toBe(503);
    release();
    await Promise.all([inFlight, stopped]);
    await expect(call(adminPort)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
