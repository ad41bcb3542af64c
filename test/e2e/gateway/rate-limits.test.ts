import { Agent } from 'node:http';
import { describe, expect } from 'vitest';
import { RecordingUpstream } from '../../support/gateway/recording-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { startRedis } from '../../support/shared/redis-server.js';
import { startBuiltGateway } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const measuredMs = 4_000;
/** So many that they come to the rate on a busy machine too, where each answer takes long. */
const lanesEach = 10;
const perSecond = 25;
const burst = 60;
const agent = new Agent({ keepAlive: true });
let upstreamPort: number;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  const upstream = new RecordingUpstream((_request, response) => {
    upstream.received.splice(0);
    response.end('ok');
  });
  upstreamPort = await upstream.listen();
  cleanUp.add(() => upstream.close());
  cleanUp.add(async () => agent.destroy());
});

const configuration = (port: number, limits: string, policy: string): string => `
listeners { listener "main" { address "127.0.0.1:${port}" } }
limits { max-connections-per-client 1000; ${limits} }
routes { route "all" { matches { path-prefix "/" }; upstream "api"; policies { rate-limit { ${policy} } } } }
upstreams { upstream "api" { target "127.0.0.1:${upstreamPort}" } }
`;

const startGateway = async (cleanUp: CleanUp, limits: string, policy: string): Promise<number> => {
  const port = await freePort();
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const file = folder.write('gateway.kdl', configuration(port, limits, policy));
  const gateway = await startBuiltGateway(file, [port], { RUST_LOG: 'error' });
  cleanUp.add(() => gateway.stop());
  return port;
};

const isLetThrough = async (port: number, key: string): Promise<boolean> => {
  const { status } = await call(port, { agent, headers: { 'X-Key': key } });
  if (status !== 200 && status !== 429) throw new Error(`answered ${status}`);
  return status === 200;
};

interface Measured {
  readonly passed: number;
  /** From the answer of the first refusal until the sending of the last: its bucket was empty at both ends. */
  readonly refusingSeconds: number;
  /** From the first request until the last answer. */
  readonly seconds: number;
}

/** How many requests with this key are let through while many more are sent; each lane ends with a refusal. */
const measure = async (ports: readonly number[], key: string): Promise<Measured> => {
  const begun = performance.now();
  let passed = 0;
  let firstRefused = Number.POSITIVE_INFINITY;
  let lastRefused = begun;
  const lane = async (port: number): Promise<void> => {
    for (let refused = false; !refused || performance.now() - begun < measuredMs; ) {
      const sent = performance.now();
      refused = !(await isLetThrough(port, key));
      if (!refused) {
        passed += 1;
        continue;
      }
      firstRefused = Math.min(firstRefused, performance.now());
      lastRefused = Math.max(lastRefused, sent);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await Promise.all(ports.flatMap((port) => Array.from({ length: lanesEach }, () => lane(port))));
  return { passed, refusingSeconds: (lastRefused - firstRefused) / 1000, seconds: (performance.now() - begun) / 1000 };
};

/**
 * Within 5 %, however long a busy machine takes over it: nothing is asked for but what passed between two moments at
 * which there was nothing left to pass.
 */
const expectRate = ({ passed, refusingSeconds, seconds }: Measured): void => {
  expect(refusingSeconds).toBeGreaterThan(1);
  expect(passed).toBeGreaterThan((burst + perSecond * refusingSeconds) * 0.95);
  expect(passed).toBeLessThanOrEqual((burst + perSecond * seconds) * 1.05);
};

const policy = `requests-per-second ${perSecond}; burst ${burst}; key "header:x-key"`;

describe('a rate limit over some seconds', () => {
  it('holds within 5 % for each of three concurrent keys', { timeout: 60_000 }, async ({ cleanUp }) => {
    const port = await startGateway(cleanUp, '', policy);
    const keys = ['a', 'b', 'c'];
    for (const measured of await Promise.all(keys.map((key) => measure([port], key)))) expectRate(measured);
  });

  it('passes exactly its burst at once, and the next request after Retry-After', async ({ cleanUp }) => {
    const port = await startGateway(cleanUp, '', 'requests-per-second 0.5; burst 20; key "client_ip"');
    const begunMs = performance.now();
    /** Tokens that the bucket can have got since: none on a machine with time for this test. */
    const refilled = (): number => Math.floor(((performance.now() - begunMs) / 1000) * 0.5);
    const passed = await Promise.all(Array.from({ length: 50 }, () => isLetThrough(port, 'any')));
    const passedAtOnce = passed.filter(Boolean).length;
    expect(passedAtOnce).toBeGreaterThanOrEqual(20);
    expect(passedAtOnce).toBeLessThanOrEqual(20 + refilled());
    const refused = await call(port, { agent });
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers['retry-after']);
    expect([1, 2]).toContain(seconds);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const next = await Promise.all([isLetThrough(port, 'any'), isLetThrough(port, 'any')]);
    expect(next).toContain(true);
    expect(passedAtOnce + next.filter(Boolean).length).toBeLessThanOrEqual(20 + refilled());
  });
});

describeWithPeers(['redis-server'], 'a rate limit of two gateways with a shared Redis', () => {
  it('holds within 5 % for both together, and for each alone while Redis is down', { timeout: 60_000 }, async ({
    cleanUp,
  }) => {
    const redis = await startRedis({ password: 'a-password' });
    cleanUp.add(() => redis.remove());
    const limits = `rate-limit-store "redis"; rate-limit-store-url "${redis.url().reveal()}"`;
    const ports = await Promise.all([startGateway(cleanUp, limits, policy), startGateway(cleanUp, limits, policy)]);
    expectRate(await measure(ports, 'shared'));

    await redis.kill();
    // Each has buckets of its own now, which are full: nobody is refused for want of a redis.
    for (const port of ports) expect(await isLetThrough(port, 'another')).toBe(true);
    const alone = await Promise.all(
      ports.map(async (port) => {
        const begun = performance.now();
        const answers = await Promise.all(Array.from({ length: 150 }, () => isLetThrough(port, 'third')));
        return { count: answers.filter(Boolean).length, seconds: (performance.now() - begun) / 1000 };
      }),
    );
    for (const { count, seconds: taken } of alone) {
      expect(count).toBeGreaterThanOrEqual(burst);
      expect(count).toBeLessThanOrEqual(burst + perSecond * taken + 1);
    }
  });
});
