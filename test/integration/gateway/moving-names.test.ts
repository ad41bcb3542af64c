import { describe, expect } from 'vitest';
import { failuresOf, hasFailed, RequestLoad, type RequestOutcome } from '../../../bench/faults/request-load.js';
import { FakeHostResolver } from '../../support/gateway/fake-host-resolver.js';
import { FaultyUpstream } from '../../support/gateway/faulty-upstream.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';

const host = 'shop.internal';
let resolver: FakeHostResolver;
let old: FaultyUpstream;
let fresh: FaultyUpstream;
let load: RequestLoad;

/** Both on one port, for only the address of a name moves. */
it.beforeEach(async ({ cleanUp }) => {
  old = new FaultyUpstream('old', { answerMs: 5 });
  await old.start();
  cleanUp.add(() => old.stop());
  fresh = new FaultyUpstream('fresh', { host: '127.0.0.2', port: old.port, answerMs: 5 });
  await fresh.start();
  cleanUp.add(() => fresh.stop());
  resolver = new FakeHostResolver();
  resolver.set(host, '127.0.0.1');
  const upstream = testUpstream(old.port, {
    targets: [{ address: { host, port: old.port }, weight: 1 }],
    dnsRefreshMs: 100,
    targetBreaker: { failureThreshold: 3, openMs: 60_000, probes: 1 },
  });
  const gateway = await startInProcess(testConfiguration([upstream]), { resolver });
  cleanUp.add(() => gateway.stop());
  load = new RequestLoad({ port: gateway.address.port, path: '', perSecond: 200, methods: ['GET', 'POST', 'GET'] });
  cleanUp.add(() => load.stop());
  await eventually(() => load.outcomes.length >= 20);
});

/** The requests that began from now on, once there are so many of them and each has ended. */
const fromNowOn = async (count: number): Promise<readonly RequestOutcome[]> => {
  const nowMs = performance.now();
  await eventually(() => load.since(nowMs).length >= count);
  const untilMs = performance.now();
  await load.settled();
  return load.since(nowMs, untilMs);
};

const isAnsweredBy =
  ({ name }: FaultyUpstream) =>
  ({ text }: RequestOutcome): boolean =>
    text.startsWith(name);

describe('a target name that moves to another address under load', () => {
  it('moves every request without a failure', async () => {
    resolver.set(host, '127.0.0.2');
    await eventually(() => load.outcomes.some(isAnsweredBy(fresh)));
    const after = await fromNowOn(50);
    expect(after.filter((outcome) => !isAnsweredBy(fresh)(outcome))).toEqual([]);
    await eventually(() => old.connections === 0);
    expect(failuresOf(load.outcomes)).toEqual({});
  });

  it('with a dead old address fails requests only until the next look-up', async () => {
    await old.kill();
    await eventually(() => load.outcomes.filter(hasFailed).length >= 10);
    resolver.set(host, '127.0.0.2');
    await eventually(() => load.outcomes.some(isAnsweredBy(fresh)));
    expect(failuresOf(await fromNowOn(50))).toEqual({});
    for (const name of Object.keys(failuresOf(load.outcomes))) {
      expect(name).toMatch(/^(GET|POST) (502 upstream_unreachable|503 no_healthy_target)$/);
    }
  });

  it('to two addresses of which the old one dies fails only POSTs in flight', async () => {
    resolver.set(host, '127.0.0.1', '127.0.0.2');
    await eventually(() => load.outcomes.some(isAnsweredBy(fresh)));
    const known = load.outcomes.length;
    await old.kill();
    await fromNowOn(20);
    expect(failuresOf(await fromNowOn(50))).toEqual({});
    const counts = failuresOf(load.outcomes.slice(known));
    for (const name of Object.keys(counts)) expect(name).toBe('POST 502 upstream_unreachable');
    expect(counts['POST 502 upstream_unreachable'] ?? 0).toBeLessThanOrEqual(10);
  });

  it('without a successful look-up keeps its address', async () => {
    resolver.lose(host);
    const asked = resolver.asked.length;
    await eventually(() => resolver.asked.length > asked);
    expect((await fromNowOn(50)).filter((outcome) => !isAnsweredBy(old)(outcome))).toEqual([]);
    expect(failuresOf(load.outcomes)).toEqual({});
  });
});
