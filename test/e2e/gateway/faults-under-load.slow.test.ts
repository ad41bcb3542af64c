import { afterEach, describe, expect } from 'vitest';
import { failuresOf, hasFailed, RequestLoad, type RequestOutcome } from '../../../bench/faults/request-load.js';
import { FaultyUpstream } from '../../support/gateway/faulty-upstream.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import type { RunningProcess } from '../../support/shared/processes.js';
import { startBuiltGateway } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

/** Failures in a row by which a target is left alone. */
const failuresBorne = 3;
/** What the target is sent while the first of those come back. */
const mostUnderWay = 15;
/** Requests that are watched once the fault is known, and once it is over. */
const watched = 80;
/** How often each POST was heard by any target, by its path. */
const posts = new Map<string, number>();

const newTarget = async (cleanUp: CleanUp, name: string): Promise<FaultyUpstream> => {
  const target = new FaultyUpstream(name, {
    octetMs: 5,
    answerMs: 15,
    heard: ({ method, url = '' }) => {
      if (method === 'POST') posts.set(url, (posts.get(url) ?? 0) + 1);
    },
  });
  await target.start();
  cleanUp.add(() => target.stop());
  return target;
};

let targets: readonly [FaultyUpstream, FaultyUpstream, FaultyUpstream];
let bareTargets: readonly FaultyUpstream[];
let port: number;
let adminPort: number;
let gateway: RunningProcess;
let load: RequestLoad;

const listed = (of: readonly FaultyUpstream[]): string => of.map(({ address }) => `target "${address}"`).join('; ');

const configuration = (): string => `
listeners { listener "main" { address "127.0.0.1:${port}" } }
admin { address "127.0.0.1:${adminPort}" }
limits { max-connections-per-client 2000 }
routes {
  route "shop" { matches { path-prefix "/shop" }; upstream "shop" }
  route "bare" { matches { path-prefix "/bare" }; upstream "bare" }
}
upstreams {
  upstream "shop" {
    ${listed(targets)}
    health-check {
      type "http" { path "/health" }
      interval-secs 1
      timeout-secs 1
      healthy-threshold 1
      unhealthy-threshold 2
    }
    circuit-breaker { failure-threshold ${failuresBorne}; timeout-seconds 60 }
    retries { max-attempts 3; budget-percent 100 }
    timeouts { connect-secs 2; request-secs 3 }
  }
  upstream "bare" {
    ${listed(bareTargets)}
    circuit-breaker #null
    retries { max-attempts 3; budget-percent 20 }
  }
}
`;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  targets = [await newTarget(cleanUp, 'a'), await newTarget(cleanUp, 'b'), await newTarget(cleanUp, 'c')];
  bareTargets = [await newTarget(cleanUp, 'd'), await newTarget(cleanUp, 'e'), await newTarget(cleanUp, 'f')];
  port = await freePort();
  adminPort = await freePort();
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const file = folder.write('gateway.kdl', configuration());
  gateway = await startBuiltGateway(file, [port, adminPort], { RUST_LOG: 'warn' });
  cleanUp.add(() => gateway.stop());
  load = new RequestLoad({ port, path: '/shop', perSecond: 200, methods: ['GET', 'POST', 'GET', 'GET'] });
  cleanUp.add(() => load.stop());
});

interface TargetReport {
  readonly address: string;
  readonly healthy: boolean;
}

const healthOf = async (): Promise<ReadonlyMap<string, boolean>> => {
  const { body } = await call(adminPort, { path: '/admin/upstreams' });
  const { upstreams } = JSON.parse(body) as { upstreams: { shop: { targets: readonly TargetReport[] } } };
  return new Map(upstreams.shop.targets.map(({ address, healthy }) => [address, healthy]));
};

/**
 * Whether a check has found these, too, to be unhealthy since the gateway had written so much: no request tries them
 * now.
 */
const areKnown = (faulty: readonly FaultyUpstream[], written: number): boolean => {
  const lines = gateway.output().slice(written).split('\n');
  const told = lines.filter((line) => line.includes('Target is unhealthy'));
  return faulty.every(({ address }) => told.some((line) => line.includes(`"${address}"`)));
};

/** The requests that began from now on, once there are so many of them and each has ended. */
const fromNowOn = async (count: number): Promise<readonly RequestOutcome[]> => {
  const nowMs = performance.now();
  await untilTrue('requests go on', () => load.since(nowMs).length >= count);
  const untilMs = performance.now();
  await load.settled();
  return load.since(nowMs, untilMs);
};

const areUsed = (outcomes: readonly RequestOutcome[]): boolean =>
  targets.every(({ name }) => outcomes.some(({ text }) => text.startsWith(name)));

/** Waits until every target answers requests; from then on none fails. */
const recover = async (): Promise<void> => {
  await untilTrue('every target is healthy', async () => [...(await healthOf()).values()].every((healthy) => healthy));
  const healthyMs = performance.now();
  await untilTrue('every target is used', () => areUsed(load.since(healthyMs)));
  expect(failuresOf(await fromNowOn(watched))).toEqual({});
};

/**
 * Has the first target go wrong until that is known, and some time more.
 *
 * @returns the requests that began before it was known, those in flight at its beginning among them
 */
const goThrough = async (
  begin: (target: FaultyUpstream) => unknown,
  end: (target: FaultyUpstream) => unknown,
): Promise<readonly RequestOutcome[]> => {
  const [target] = targets;
  const known = load.outcomes.length;
  const written = gateway.output().length;
  await begin(target);
  await untilTrue('the fault is known', () => areKnown([target], written));
  const knownMs = performance.now();
  // No healthy target is needed for what fails now: none does.
  expect(failuresOf(await fromNowOn(watched))).toEqual({});
  const during = load.outcomes.slice(known).filter(({ beganMs }) => beganMs < knownMs);
  await end(target);
  await recover();
  return during;
};

const become = (manner: 'failing' | 'silent' | 'cutting') =>
  goThrough(
    (target) => target.become(manner),
    (target) => target.become('well'),
  );

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The target had been sent these, for all that is known, and they must not be sent twice. */
const expectOnlySentPosts = (during: readonly RequestOutcome[]): void => {
  const counts = failuresOf(during);
  for (const name of Object.keys(counts)) expect(name).toBe('POST 502 upstream_unreachable');
  expect(total(counts)).toBeLessThanOrEqual(mostUnderWay);
};

describe('200 requests a second on three targets, of which one', () => {
  afterEach(() => {
    expect([...posts].filter(([, count]) => count > 1)).toEqual([]);
  });

  it('does not fail yet: every request is answered', async () => {
    await recover();
    expect(failuresOf(load.outcomes)).toEqual({});
  });

  it('is killed: only POSTs in flight fail', async () => {
    expectOnlySentPosts(
      await goThrough(
        (target) => target.kill(),
        (target) => target.start(),
      ),
    );
  });

  it('refuses connections: only POSTs in flight fail', async () => {
    expectOnlySentPosts(
      await goThrough(
        (target) => target.refuse(),
        (target) => target.start(),
      ),
    );
  });

  it('answers 500: few clients see it', async () => {
    const counts = failuresOf(await become('failing'));
    for (const name of Object.keys(counts)) expect(name).toMatch(/^(GET|POST) 500$/);
    expect(total(counts)).toBeGreaterThan(0);
    expect(total(counts)).toBeLessThanOrEqual(failuresBorne + mostUnderWay);
  });

  it('resets within bodies: few clients see a truncated response', async () => {
    const counts = failuresOf(await become('cutting'));
    for (const name of Object.keys(counts)) expect(name).toMatch(/^(GET|POST) (cut|502 upstream_unreachable)$/);
    expect(total(counts)).toBeGreaterThan(0);
    expect(total(counts)).toBeLessThanOrEqual(failuresBorne + mostUnderWay);
  });

  it('hangs, but accepts connections: requests in flight get 504 until the breaker opens', async () => {
    const counts = failuresOf(await become('silent'));
    expect(Object.keys(counts).toSorted()).toEqual(['GET 504 upstream_timeout', 'POST 504 upstream_timeout']);
  });

  it('sends slowly: nothing fails', async () => {
    const [target] = targets;
    const beganMs = performance.now();
    target.become('slow');
    await untilTrue('slow answers have come', () => {
      const slow = load.since(beganMs).filter(({ text }) => text.startsWith(target.name));
      return slow.some((outcome) => outcome.endedMs - outcome.beganMs > 250);
    });
    target.become('well');
    await load.settled();
    expect(failuresOf(load.since(beganMs))).toEqual({});
    await recover();
  });
});

describe('all targets at once', () => {
  it('that are killed: every request gets 502 or 503, and service returns with them', async () => {
    const beganMs = performance.now();
    const written = gateway.output().length;
    await Promise.all(targets.map((target) => target.kill()));
    await untilTrue('all faults are known', () => areKnown(targets, written));
    const known = await fromNowOn(watched);
    expect(known.filter((outcome) => !hasFailed(outcome))).toEqual([]);
    for (const name of Object.keys(failuresOf(known))) expect(name).toMatch(/^(GET|POST) 503 no_healthy_target$/);
    expect(known.filter(({ hasRetryAfter }) => !hasRetryAfter)).toEqual([]);
    for (const name of Object.keys(failuresOf(load.since(beganMs)))) {
      expect(name).toMatch(/^(GET|POST) (502 upstream_unreachable|503 no_healthy_target)$/);
    }
    await Promise.all(targets.map((target) => target.start()));
    await recover();
  });

  it('that reset every request, without breaker and health check: the retry budget bounds retries', async () => {
    for (const target of bareTargets) target.become('resetting');
    const bare = new RequestLoad({ port, path: '/bare', perSecond: 300, methods: ['GET', 'POST', 'PUT'] });
    await untilTrue('requests have failed', () => bare.outcomes.length >= 300);
    await bare.stop();
    const requests = bare.outcomes.length;
    expect(Object.keys(failuresOf(bare.outcomes)).toSorted()).toEqual([
      'GET 502 upstream_unreachable',
      'POST 502 upstream_unreachable',
      'PUT 502 upstream_unreachable',
    ]);
    expect(total(failuresOf(bare.outcomes))).toBe(requests);
    const heard = bareTargets.reduce((sum, target) => sum + target.requests, 0);
    expect(heard - requests).toBeLessThanOrEqual(10 + 0.2 * requests);
    expect(heard - requests).toBeGreaterThanOrEqual(10);
    expect([...posts].filter(([, count]) => count > 1)).toEqual([]);
  });
});
