import { describe, expect, it } from 'vitest';
import type { Balancing, HealthCheck } from '../../../../../src/domain/gateway/configuration/upstream-options.js';
import { err } from '../../../../../src/domain/shared/result.js';
import {
  anybody,
  chosenOf,
  noRules,
  TargetsWorld,
  upstreamOf,
  visit,
} from '../../../../support/gateway/upstream-targets.js';
import { settled } from '../../../../support/shared/manual-scheduler.js';

const breaker = { failureThreshold: 2, openMs: 30_000, probes: 1 };
const three = ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80'];

const check = {
  probe: { kind: 'tcp' as const },
  intervalMs: 10_000,
  timeoutMs: 5_000,
  healthyThreshold: 2,
  unhealthyThreshold: 3,
};

describe('UpstreamTargets: the choice of a target', () => {
  it('rotates by weight', () => {
    const targets = new TargetsWorld().open(upstreamOf(['10.0.0.1:80 2', '10.0.0.2:80 1', '10.0.0.3:80 0']));
    const turns = Array.from({ length: 6 }, () => visit(targets));
    expect(turns.filter((address) => address === '10.0.0.1:80')).toHaveLength(4);
    expect(turns.filter((address) => address === '10.0.0.2:80')).toHaveLength(2);
  });

  it('prefers the least busy target, including requests of other generations', () => {
    const world = new TargetsWorld();
    const before = world.open(upstreamOf(three));
    const now = world.open(upstreamOf(three, { balancing: { kind: 'least_connections' } }));
    const busy = [before.choose(anybody), before.choose(anybody)].map((choice) => chosenOf(choice));
    expect([visit(now), visit(now)]).toEqual(['10.0.0.3:80', '10.0.0.3:80']);
    for (const target of busy) target.ended('neither');
    expect(new Set([visit(now), visit(now), visit(now)]).size).toBe(3);
  });

  it('is the same for the same hash key, for any client', () => {
    const key = { kind: 'header' as const, name: 'x-user' };
    const targets = new TargetsWorld().open(upstreamOf(three, { balancing: { kind: 'consistent_hash', key } }));
    const ann = visit(targets, { headers: ['X-User', 'ann'] });
    for (const clientIp of ['192.0.2.1', '192.0.2.2']) {
      expect(visit(targets, { clientIp, headers: ['x-user', 'ann'] })).toBe(ann);
    }
    const all = Array.from({ length: 50 }, (_, user) => visit(targets, { headers: ['x-user', `user-${user}`] }));
    expect(new Set(all).size).toBe(3);
  });

  it('is the less busy of two random ones', () => {
    const fractions = [0, 0.9, 0.4, 0];
    const world = new TargetsWorld(() => fractions.shift() as number);
    const targets = world.open(upstreamOf(three, { balancing: { kind: 'power_of_two' } }));
    const busy = chosenOf(targets.choose(anybody));
    expect(busy.address).toBe('10.0.0.1:80');
    expect(visit(targets)).toBe('10.0.0.2:80');
  });

  it('excludes tried targets, until none is left', () => {
    const targets = new TargetsWorld().open(upstreamOf(three));
    expect(visit(targets, { tried: ['10.0.0.1:80', '10.0.0.3:80'] })).toBe('10.0.0.2:80');
    expect(targets.choose({ ...anybody, tried: three })).toEqual({ kind: 'exhausted' });
  });

  it('reports whether another target may exist', () => {
    const world = new TargetsWorld();
    expect(world.open(upstreamOf(three)).hasChoice).toBe(true);
    expect(world.open(upstreamOf(['10.0.0.1:80 1', '10.0.0.2:80 0'])).hasChoice).toBe(false);
  });
});

describe('UpstreamTargets: the sticky cookie', () => {
  const sticky = { stickyCookie: { name: 'gateway_target', maxAgeMs: null } };

  const cookieOf = (fields: readonly string[]): string => (fields[1] as string).split(';')[0] as string;

  it('leads the client to the same target again, and is not set again', () => {
    const targets = new TargetsWorld().open(upstreamOf(three, sticky));
    const first = chosenOf(targets.choose(anybody));
    expect(first.responseHeaders[0]).toBe('Set-Cookie');
    const headers = ['Cookie', cookieOf(first.responseHeaders)];
    for (let time = 0; time < 4; time += 1) {
      const again = chosenOf(targets.choose({ ...anybody, headers }));
      expect([again.address, again.responseHeaders]).toEqual([first.address, []]);
    }
  });

  it('is Secure over https, and reveals no address', () => {
    const targets = new TargetsWorld().open(upstreamOf(three, sticky));
    const [, secure] = chosenOf(targets.choose({ ...anybody, isSecure: true })).responseHeaders;
    const [, plain] = chosenOf(targets.choose(anybody)).responseHeaders;
    expect(secure).toContain('; Secure');
    expect(plain).not.toContain('Secure');
    expect(secure).not.toContain('10.0.0');
  });

  it('does not lead to a drained target: another one is chosen, with a new cookie', () => {
    const targets = new TargetsWorld().open(upstreamOf(three, sticky));
    const first = chosenOf(targets.choose(anybody));
    targets.drain(first.address);
    const second = chosenOf(targets.choose({ ...anybody, headers: ['Cookie', cookieOf(first.responseHeaders)] }));
    expect(second.address).not.toBe(first.address);
    expect(cookieOf(second.responseHeaders)).not.toBe(cookieOf(first.responseHeaders));
  });

  it('with an unknown value chooses nothing', () => {
    const world = new TargetsWorld();
    const foreign = world.open({ ...upstreamOf(three, sticky), name: 'other' });
    const headers = ['Cookie', cookieOf(chosenOf(foreign.choose(anybody)).responseHeaders)];
    expect(
      chosenOf(world.open(upstreamOf(three, sticky)).choose({ ...anybody, headers })).responseHeaders,
    ).toHaveLength(2);
  });
});

describe('UpstreamTargets: a failing target', () => {
  const failTwice = (targets: ReturnType<TargetsWorld['open']>, tried: readonly string[]): void => {
    for (let time = 0; time < 2; time += 1) {
      chosenOf(targets.choose({ ...anybody, tried })).ended('failure', 'connection refused');
    }
  };

  it('is ejected, logged once, and probed by one request at a time', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(['10.0.0.1:80', '10.0.0.2:80'], { targetBreaker: breaker }));
    failTwice(targets, ['10.0.0.2:80']);
    expect(Array.from({ length: 4 }, () => visit(targets))).toEqual(new Array(4).fill('10.0.0.2:80'));
    expect(targets.statuses()[0]).toMatchObject({
      healthy: false,
      breaker: 'open',
      lastError: 'connection refused',
      unhealthySinceMs: world.clock.wallMs(),
      failedRequests: 2,
    });
    world.clock.advance(30_000);
    const probe = chosenOf(targets.choose({ ...anybody, tried: ['10.0.0.2:80'] }));
    expect(targets.choose({ ...anybody, tried: ['10.0.0.2:80'] })).toEqual({ kind: 'exhausted' });
    probe.ended('success');
    expect(targets.statuses()[0]).toMatchObject({ healthy: true, breaker: 'closed', unhealthySinceMs: null });
    expect(world.logger.lines.map(({ level, fields }) => [level, fields['target']])).toEqual([
      ['warn', '10.0.0.1:80'],
      ['info', '10.0.0.1:80'],
    ]);
  });

  it('leads to a Retry-After if no other target is left', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(['10.0.0.1:80'], { targetBreaker: breaker }));
    failTwice(targets, []);
    world.clock.advance(12_500);
    expect(targets.choose(anybody)).toEqual({ kind: 'unhealthy', retryAfterSeconds: 18 });
    world.clock.advance(17_500);
    chosenOf(targets.choose(anybody));
    expect(targets.choose(anybody)).toEqual({ kind: 'unhealthy', retryAfterSeconds: 1 });
  });

  it('returns as soon as a probe is answered, before the answer ends', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(['10.0.0.1:80'], { targetBreaker: breaker }));
    failTwice(targets, []);
    world.clock.advance(30_000);
    const stream = chosenOf(targets.choose(anybody));
    stream.answered?.();
    visit(targets);
    stream.ended('failure', 'body broke off');
    expect(targets.statuses()[0]).toMatchObject({ healthy: true, failedRequests: 3, totalRequests: 4 });
  });

  it('is ejected again at once if the answer to its probe breaks off', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(['10.0.0.1:80'], { targetBreaker: breaker }));
    failTwice(targets, []);
    world.clock.advance(30_000);
    const probe = chosenOf(targets.choose(anybody));
    probe.answered?.();
    probe.ended('failure', 'body broke off');
    expect(targets.choose(anybody)).toEqual({ kind: 'unhealthy', retryAfterSeconds: 30 });
    expect(targets.statuses()[0]).toMatchObject({ healthy: false, lastError: 'body broke off' });
  });

  it('is still chosen without a breaker', () => {
    const targets = new TargetsWorld().open(upstreamOf(['10.0.0.1:80']));
    for (let time = 0; time < 20; time += 1) chosenOf(targets.choose(anybody)).ended('failure');
    expect(targets.statuses()[0]).toMatchObject({ healthy: true, breaker: null, failedRequests: 20 });
  });

  it('counts an exchange once, even if it is ended twice', () => {
    const targets = new TargetsWorld().open(upstreamOf(['10.0.0.1:80'], { targetBreaker: breaker }));
    const target = chosenOf(targets.choose(anybody));
    target.ended('failure');
    target.ended('failure');
    expect(targets.statuses()[0]).toMatchObject({ failedRequests: 1, healthy: true });
  });

  it('keeps a bounded part of an error', () => {
    const targets = new TargetsWorld().open(
      upstreamOf(['10.0.0.1:80'], { targetBreaker: { ...breaker, failureThreshold: 1 } }),
    );
    chosenOf(targets.choose(anybody)).ended('failure', 'x'.repeat(10_000));
    expect(targets.statuses()[0]?.lastError).toHaveLength(200);
  });
});

describe('UpstreamTargets: health checks', () => {
  const checked = upstreamOf(['10.0.0.1:80', '10.0.0.2:80'], { healthCheck: check, targetBreaker: breaker });

  it('keep requests from an unhealthy target, and give a Retry-After if no healthy one is left', async () => {
    const world = new TargetsWorld();
    world.checks.set('10.0.0.1:80', err('status 503'));
    const targets = world.open(checked);
    await targets.start();
    targets.activate();
    await settled();
    expect([visit(targets), visit(targets)]).toEqual(['10.0.0.2:80', '10.0.0.2:80']);
    expect(targets.statuses()[0]).toMatchObject({ healthy: false, lastError: 'status 503' });
    targets.drain('10.0.0.2:80');
    expect(targets.choose(anybody)).toEqual({ kind: 'unhealthy', retryAfterSeconds: 10 });
    await targets.close(0);
    expect(world.scheduler.waiting).toBe(0);
  });

  it('end the ejection of a target that becomes healthy', async () => {
    const world = new TargetsWorld();
    const targets = world.open({ ...checked, targetBreaker: { ...breaker, openMs: 300_000 } });
    await targets.start();
    targets.activate();
    await settled();
    for (let time = 0; time < 2; time += 1) {
      chosenOf(targets.choose({ ...anybody, tried: ['10.0.0.2:80'] })).ended('failure', 'refused');
    }
    world.checks.set('10.0.0.1:80', err('no answer'));
    await world.scheduler.advance(40_000);
    expect(targets.statuses()[0]).toMatchObject({ breaker: 'open', healthy: false, lastError: 'no answer' });
    world.checks.delete('10.0.0.1:80');
    await world.scheduler.advance(25_000);
    expect(targets.statuses()[0]).toMatchObject({ breaker: 'closed', healthy: true });
  });

  it('do not end the ejection of a target that stayed healthy', async () => {
    const world = new TargetsWorld();
    const targets = world.open({ ...checked, targetBreaker: { ...breaker, openMs: 300_000 } });
    await targets.start();
    targets.activate();
    await settled();
    for (let time = 0; time < 2; time += 1) {
      chosenOf(targets.choose({ ...anybody, tried: ['10.0.0.2:80'] })).ended('failure', 'status 500');
    }
    await world.scheduler.advance(100_000);
    expect(targets.statuses()[0]).toMatchObject({ breaker: 'open', healthy: false, lastError: 'status 500' });
  });

  it('of a replaced generation stop, and its requests use the checks of the next', async () => {
    const world = new TargetsWorld();
    const before = world.open(checked);
    await before.start();
    before.activate();
    await settled();
    const now = world.open(
      upstreamOf(['10.0.0.1:80', '10.0.0.2:80'], { healthCheck: { ...check, intervalMs: 1_000 } }),
    );
    before.stopWatching();
    expect(world.scheduler.waiting).toBe(0);
    world.checks.set('10.0.0.1:80', err('refused'));
    await now.start();
    now.activate();
    await settled();
    await world.scheduler.advance(4_000);
    expect([visit(before), visit(before)]).toEqual(['10.0.0.2:80', '10.0.0.2:80']);
    await now.close(0);
  });

  it('of an earlier configuration do not count for a target that is no longer checked', async () => {
    const world = new TargetsWorld();
    world.checks.set('10.0.0.1:80', err('refused'));
    const before = world.open(checked);
    await before.start();
    before.activate();
    await settled();
    const now = world.open(upstreamOf(['10.0.0.1:80']));
    expect(visit(now)).toBe('10.0.0.1:80');
    expect(now.statuses()[0]?.healthy).toBe(true);
  });
});

describe('UpstreamTargets: checks with another probe after a reload', () => {
  const http = { kind: 'http' as const, path: '/health', expectedStatuses: [200, 204], host: null };
  const reload = async (probe: typeof http, after: HealthCheck | null) => {
    const world = new TargetsWorld();
    world.checks.set('10.0.0.1:80', err('status 404'));
    const before = world.open(upstreamOf(['10.0.0.1:80'], { healthCheck: { ...check, probe } }));
    before.activate();
    await settled();
    world.checks.delete('10.0.0.1:80');
    const now = world.open(upstreamOf(['10.0.0.1:80'], { healthCheck: after }));
    now.activate();
    before.stopWatching();
    const held = now.statuses()[0]?.healthy;
    await settled();
    const found = now.statuses()[0]?.healthy;
    await Promise.all([before.close(0), now.close(0)]);
    return [held, found];
  };

  it.each<[string, HealthCheck['probe']]>([
    ['type', { kind: 'tcp' }],
    ['path', { ...http, path: '/healthz' }],
    ['statuses', { ...http, expectedStatuses: [200] }],
    ['host', { ...http, host: 'api.internal' }],
    ['version of HTTP', { ...http, kind: 'http2' }],
    ['service', { kind: 'grpc', service: 'shop' }],
  ])('decide with their first result, and change nothing before: %s', async (_what, probe) => {
    expect(await reload(http, { ...check, probe })).toEqual([false, true]);
  });

  it('decide with their first result after a configuration without checks', async () => {
    const world = new TargetsWorld();
    world.checks.set('10.0.0.1:80', err('status 404'));
    const generations = [check, null, check].map((healthCheck) => upstreamOf(['10.0.0.1:80'], { healthCheck }));
    const opened: ReturnType<TargetsWorld['open']>[] = [];
    for (const generation of generations) {
      const now = world.open(generation);
      now.activate();
      opened.at(-1)?.stopWatching();
      await settled();
      world.checks.delete('10.0.0.1:80');
      opened.push(now);
    }
    expect(opened.map((targets) => targets.statuses()[0]?.healthy)).toEqual([true, true, true]);
    await Promise.all(opened.map((targets) => targets.close(0)));
  });

  it('need the configured number of results if the probe is the same, whatever else changed', async () => {
    const same = { ...http, expectedStatuses: [204, 200, 200] };
    expect(await reload(http, { ...check, intervalMs: 1_000, probe: same })).toEqual([false, false]);
  });
});

describe('UpstreamTargets: checks of a configuration that is not yet in force', () => {
  it('do not begin, so that no result counts for the configuration in force', async () => {
    const world = new TargetsWorld();
    const checked = upstreamOf(['10.0.0.1:80', '10.0.0.2:80'], { healthCheck: check });
    const inForce = world.open(checked);
    await inForce.start();
    inForce.activate();
    await settled();
    world.checks.set('10.0.0.1:80', err('wrong path'));
    const wanted = world.open({ ...checked, healthCheck: { ...check, unhealthyThreshold: 1 } });
    await wanted.start();
    await settled();
    expect(inForce.statuses()[0]).toMatchObject({ healthy: true });
    await wanted.close(0);
    expect(inForce.statuses()[0]).toMatchObject({ healthy: true });
    await inForce.close(0);
    expect(world.scheduler.waiting).toBe(0);
  });
});

describe('UpstreamTargets: a breaker over a reload', () => {
  const two = ['10.0.0.1:80', '10.0.0.2:80'];
  const fail = (targets: ReturnType<TargetsWorld['open']>, times = 2): void => {
    for (let time = 0; time < times; time += 1) {
      chosenOf(targets.choose({ ...anybody, tried: ['10.0.0.2:80'] })).ended('failure', 'status 500');
    }
  };
  const states = (targets: ReturnType<TargetsWorld['open']>) =>
    targets.statuses().map(({ breaker: state, healthy }) => [state, healthy]);
  const reloaded = (world: TargetsWorld, before: ReturnType<TargetsWorld['open']>, next: typeof breaker | null) => {
    const now = world.open(upstreamOf(two, { targetBreaker: next }));
    now.activate();
    before.stopWatching();
    return now;
  };
  const opened = () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(two, { targetBreaker: breaker }));
    targets.activate();
    return { world, targets };
  };

  it('stays open with the same rules', () => {
    const { world, targets } = opened();
    fail(targets);
    const now = reloaded(world, targets, { ...breaker });
    expect(states(now)).toEqual([
      ['open', false],
      ['closed', true],
    ]);
  });

  it.each([
    ['failureThreshold', { ...breaker, failureThreshold: 9 }],
    ['openMs', { ...breaker, openMs: 1_000 }],
    ['probes', { ...breaker, probes: 2 }],
  ])('is closed with other rules: %s', (_what, rules) => {
    const { world, targets } = opened();
    fail(targets);
    const now = reloaded(world, targets, rules);
    expect(states(now)[0]).toEqual(['closed', true]);
    expect(now.choose({ ...anybody, tried: ['10.0.0.2:80'] }).kind).toBe('chosen');
    fail(now, rules.failureThreshold - 1);
    expect(states(now)[0]).toEqual(['closed', true]);
    fail(now, 1);
    world.clock.advance(rules.openMs - 1);
    expect(states(now)[0]).toEqual(['open', false]);
    world.clock.advance(1);
    expect(states(now)[0]?.[0]).toBe('half_open');
  });

  it('is closed when it is enabled again', () => {
    const { world, targets } = opened();
    fail(targets);
    const without = reloaded(world, targets, null);
    for (let time = 0; time < 4; time += 1) visit(without);
    const again = reloaded(world, without, breaker);
    expect(states(again)).toEqual([
      ['closed', true],
      ['closed', true],
    ]);
  });

  it('ignores requests in progress under the old rules: they neither open nor close it', () => {
    const { world, targets } = opened();
    fail(targets, 1);
    const [first, second] = [1, 2].map(() => chosenOf(targets.choose({ ...anybody, tried: ['10.0.0.2:80'] })));
    const now = reloaded(world, targets, { ...breaker, failureThreshold: 3 });
    first?.ended('failure');
    fail(targets);
    expect(states(now)[0]).toEqual(['closed', true]);
    fail(now, 1);
    second?.ended('success');
    expect(states(now)[0]).toEqual(['open', false]);
  });

  it('stays as it is if the configuration with other rules does not come into force', async () => {
    const { world, targets } = opened();
    fail(targets);
    const refused = world.open(upstreamOf([...two, '10.0.0.3:80'], { targetBreaker: { ...breaker, openMs: 1 } }));
    await refused.close(0);
    expect(states(targets)[0]).toEqual(['open', false]);
  });

  it('has the rules in force for an address that a configuration not in force has found first', async () => {
    const world = new TargetsWorld();
    const inForce = world.open(upstreamOf(['api.example:80'], { targetBreaker: breaker }));
    await inForce.start();
    inForce.activate();
    const wanted = world.open(upstreamOf(['10.0.0.1:80']));
    world.resolver.set('api.example', '10.0.0.1');
    await world.scheduler.advance(40_000);
    for (let time = 0; time < 2; time += 1) chosenOf(inForce.choose(anybody)).ended('failure');
    expect(states(inForce)).toEqual([['open', false]]);
    await Promise.all([wanted.close(0), inForce.close(0)]);
  });
});

describe('UpstreamTargets: the last target', () => {
  const two = ['10.0.0.1:80', '10.0.0.2:80'];
  const sparing = { targetBreaker: breaker, sparesLastTarget: true };
  const failAll = (targets: ReturnType<TargetsWorld['open']>, times: number): void => {
    for (let time = 0; time < times; time += 1) {
      const choice = targets.choose(anybody);
      if (choice.kind === 'chosen') choice.ended('failure', 'status 500');
    }
  };

  it('is not ejected by the default breaker', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(two, sparing));
    failAll(targets, 40);
    expect(targets.choose(anybody).kind).toBe('chosen');
    expect(targets.statuses().map(({ healthy }) => healthy)).toEqual([false, true]);
    expect(world.logger.lines).toHaveLength(1);
  });

  it('is ejected by a configured breaker', () => {
    const targets = new TargetsWorld().open(upstreamOf(two, { ...sparing, sparesLastTarget: false }));
    failAll(targets, 40);
    expect(targets.choose(anybody).kind).toBe('unhealthy');
  });

  it('is ejected as soon as another one works again and it still fails', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(two, sparing));
    failAll(targets, 10);
    world.clock.advance(30_000);
    visit(targets, { tried: ['10.0.0.2:80'] });
    chosenOf(targets.choose({ ...anybody, tried: ['10.0.0.1:80'] })).ended('failure', 'status 500');
    expect(targets.statuses().map(({ healthy }) => healthy)).toEqual([true, false]);
  });

  it('is not a drained, unhealthy or weightless target: it gets no requests', () => {
    const targets = new TargetsWorld().open(upstreamOf([...two, '10.0.0.3:80 0'], sparing));
    targets.drain('10.0.0.1:80');
    failAll(targets, 20);
    expect(visit(targets)).toBe('10.0.0.2:80');
  });

  it('that remains is chosen although ejected, the one whose ejection ends first, and this is logged once', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(three, sparing));
    for (const last of ['10.0.0.2:80', '10.0.0.1:80']) {
      const tried = three.filter((address) => address !== last);
      for (let time = 0; time < 2; time += 1) chosenOf(targets.choose({ ...anybody, tried })).ended('failure');
      world.clock.advance(1_000);
    }
    targets.drain('10.0.0.3:80');
    expect([visit(targets), visit(targets)]).toEqual(['10.0.0.2:80', '10.0.0.2:80']);
    expect(targets.statuses().map(({ healthy }) => healthy)).toEqual([false, true, true]);
    const told = world.logger.lines.filter(
      ({ message }) => message === 'Target gets requests again, because there is no other',
    );
    expect(told.map(({ fields }) => fields)).toEqual([{ upstream: 'api', target: '10.0.0.2:80' }]);
  });

  it('that fails when it is probed is not logged as working', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(two, sparing));
    const tried = ['10.0.0.2:80'];
    for (let time = 0; time < 2; time += 1) chosenOf(targets.choose({ ...anybody, tried })).ended('failure');
    world.clock.advance(30_000);
    const probe = chosenOf(targets.choose({ ...anybody, tried }));
    targets.drain('10.0.0.2:80');
    probe.ended('failure', 'status 500');
    expect(world.logger.lines.map(({ message }) => message)).toEqual([
      'Target ejected after too many failures',
      'Target gets no new requests: it is drained',
      'Target gets requests again, because there is no other',
    ]);
    expect(visit(targets)).toBe('10.0.0.1:80');
  });

  it.each([
    [true, 'chosen'],
    [false, 'unhealthy'],
  ])('obeys the rules in force in every generation: spared %s', (isSpared, kind) => {
    const world = new TargetsWorld();
    const before = world.open(upstreamOf(two, { ...sparing, sparesLastTarget: !isSpared }));
    before.activate();
    const now = world.open(upstreamOf(two, { ...sparing, sparesLastTarget: isSpared }));
    for (let time = 0; time < 2; time += 1) {
      chosenOf(now.choose({ ...anybody, tried: ['10.0.0.2:80'] })).ended('failure');
    }
    now.activate();
    now.drain('10.0.0.2:80');
    expect([before.choose(anybody).kind, now.choose(anybody).kind]).toEqual([kind, kind]);
  });

  it('is not chosen again for a request that has failed there', () => {
    const targets = new TargetsWorld().open(upstreamOf(two, sparing));
    failAll(targets, 10);
    expect(targets.choose({ ...anybody, tried: ['10.0.0.2:80'] })).toEqual({ kind: 'exhausted' });
  });
});

describe('UpstreamTargets: a target without a free connection', () => {
  const fill = (world: TargetsWorld, host: string, isFull: boolean): void => {
    Object.assign(world.clients.at(host, 80) as object, { isFull });
  };

  it.each<Balancing>([
    { kind: 'round_robin' },
    { kind: 'least_connections' },
    { kind: 'power_of_two' },
    { kind: 'consistent_hash', key: { kind: 'client_ip' } },
  ])('is skipped while another one has a free connection, with $kind', (balancing) => {
    let drawn = 0;
    const world = new TargetsWorld(() => {
      drawn = (drawn + 0.37) % 1;
      return drawn;
    });
    const targets = world.open(upstreamOf(three, { balancing }));
    fill(world, '10.0.0.1', true);
    fill(world, '10.0.0.3', true);
    for (let user = 0; user < 20; user += 1) expect(visit(targets, { clientIp: `${user}` })).toBe('10.0.0.2:80');
    targets.drain('10.0.0.2:80');
    expect(visit(targets)).not.toBe('10.0.0.2:80');
  });

  it('is kept for a client with its cookie, which queues', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(three, { stickyCookie: { name: 't', maxAgeMs: null } }));
    const { address, responseHeaders } = chosenOf(targets.choose(anybody));
    fill(world, address.slice(0, -3), true);
    const headers = ['Cookie', (responseHeaders[1] as string).split(';')[0] as string];
    expect(visit(targets, { headers })).toBe(address);
    expect(visit(targets)).not.toBe(address);
  });
});

describe('UpstreamTargets: a request that queues for a connection', () => {
  const evicted = ({ clients }: TargetsWorld): readonly number[] => clients.made.map((client) => client.evicted);

  it('is evicted when its target is drained by address or name, in every generation, but not when the drain ends', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1', '10.0.0.2');
    const before = world.open(upstreamOf(['api.example:80']));
    await before.start();
    const now = world.open(upstreamOf(['api.example:80']));
    now.drain('10.0.0.1:80');
    expect(evicted(world)).toEqual([1, 0, 1, 0]);
    now.undrain('10.0.0.1:80');
    expect(evicted(world)).toEqual([1, 0, 1, 0]);
    now.drain('api.example:80');
    expect(evicted(world)).toEqual([2, 1, 2, 1]);
    await before.close(0);
    now.undrain('api.example:80');
    now.drain('api.example:80');
    expect(evicted(world)).toEqual([2, 1, 3, 2]);
  });

  it('is evicted when its target is ejected, and when a probe of the target fails', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(['10.0.0.1:80', '10.0.0.2:80'], { targetBreaker: breaker }));
    const fail = (): void => chosenOf(targets.choose({ ...anybody, tried: ['10.0.0.2:80'] })).ended('failure');
    fail();
    expect(evicted(world)).toEqual([0, 0]);
    fail();
    expect(evicted(world)).toEqual([1, 0]);
    world.clock.advance(30_000);
    fail();
    expect(evicted(world)).toEqual([2, 0]);
  });

  it('is evicted when its target becomes unhealthy, but not if the target is unchecked', async () => {
    const world = new TargetsWorld();
    const unchecked = world.open(upstreamOf(['10.0.0.1:80']));
    const checked = world.open(upstreamOf(['10.0.0.1:80'], { healthCheck: check }));
    world.checks.set('10.0.0.1:80', err('refused'));
    checked.activate();
    await settled();
    expect(evicted(world)).toEqual([0, 1]);
    await Promise.all([checked.close(0), unchecked.close(0)]);
  });

  it('is evicted when its target loses the address, and may go to the new one', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1');
    const targets = world.open(upstreamOf(['api.example:80']));
    await targets.start();
    const waiting = chosenOf(targets.choose(anybody));
    expect(targets.hasOther([waiting.address])).toBe(false);
    world.resolver.set('api.example', '10.0.0.2');
    await world.scheduler.advance(40_000);
    expect(evicted(world)).toEqual([1, 0]);
    expect(targets.hasOther([waiting.address])).toBe(true);
    expect(visit(targets, { tried: [waiting.address] })).toBe('10.0.0.2:80');
    waiting.ended('neither');
    await targets.close(0);
  });

  it('is not watched after the connections are closed', async () => {
    const world = new TargetsWorld();
    const ledger = world.ledgers.acquire('api', '10.0.0.1:80', noRules);
    world.resolver.set('api.example', '10.0.0.1');
    const before = world.open(upstreamOf(['api.example:80']));
    await before.start();
    const now = world.open(upstreamOf(['10.0.0.1:80']));
    expect(ledger.watchers).toBe(2);
    world.resolver.set('api.example', '10.0.0.2');
    await world.scheduler.advance(33_000);
    expect(ledger.watchers).toBe(1);
    await Promise.all([before.close(0), now.close(0)]);
    expect(ledger.watchers).toBe(0);
  });
});

describe('UpstreamTargets: draining', () => {
  it('keeps new requests from a target, over a reload, until it ends', async () => {
    const world = new TargetsWorld();
    const before = world.open(upstreamOf(['10.0.0.1:80', '10.0.0.2:80']));
    expect(before.drain('10.0.0.1:80')).toEqual({ drained: true, drainedBy: null });
    const now = world.open(upstreamOf(['10.0.0.1:80', '10.0.0.2:80', '10.0.0.3:80']));
    await before.close(0);
    expect(new Set([visit(now), visit(now), visit(now)])).toEqual(new Set(['10.0.0.2:80', '10.0.0.3:80']));
    expect(now.statuses()[0]).toMatchObject({ drained: true, healthy: true });
    expect(now.undrain('10.0.0.1:80')).toEqual({ drained: false, drainedBy: null });
    expect(new Set([visit(now), visit(now), visit(now)]).size).toBe(3);
  });

  it('of a name applies to every address that it has or will have', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1');
    const targets = world.open(upstreamOf(['api.example:80', '10.0.9.9:80']));
    await targets.start();
    expect(targets.drain('api.example:80')).toEqual({ drained: true, drainedBy: null });
    world.resolver.set('api.example', '10.0.0.1', '10.0.0.2');
    await world.scheduler.advance(33_000);
    expect(targets.statuses().map(({ address, drained }) => [address, drained])).toEqual([
      ['10.0.0.1:80', true],
      ['10.0.0.2:80', true],
      ['10.0.9.9:80', false],
    ]);
    expect([visit(targets), visit(targets)]).toEqual(['10.0.9.9:80', '10.0.9.9:80']);
    targets.undrain('api.example:80');
    expect(targets.statuses().some(({ drained }) => drained)).toBe(false);
  });

  it('of a name outlasts the undrain of one of its addresses, whose answer names it', async () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(['API.example:80', '10.0.9.9:80']));
    world.resolver.set('API.example', '10.0.0.1');
    await targets.start();
    targets.drain('api.EXAMPLE:80');
    expect(targets.drain('10.0.0.1:80')).toEqual({ drained: true, drainedBy: null });
    expect(targets.undrain('10.0.0.1:80')).toEqual({ drained: true, drainedBy: 'API.example:80' });
    expect(targets.statuses()[0]).toMatchObject({ address: '10.0.0.1:80', drained: true });
    expect(targets.undrain('api.example:80')).toEqual({ drained: false, drainedBy: null });
    expect(targets.undrain('10.0.0.1:80')).toEqual({ drained: false, drainedBy: null });
    expect(targets.statuses()[0]).toMatchObject({ drained: false });
  });

  it('of a name lasts over a reload that writes it in another case', async () => {
    const world = new TargetsWorld();
    const before = world.open(upstreamOf(['api.example:80']));
    before.drain('Api.Example:80');
    const now = world.open(upstreamOf(['API.EXAMPLE:80']));
    await before.close(0);
    expect(now.statuses()[0]).toMatchObject({ drained: true });
    await now.close(0);
    expect(world.ledgers.size).toBe(0);
  });

  it('is kept for an address that its name does not have for a while', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1', '10.0.0.2');
    const targets = world.open(upstreamOf(['api.example:80']));
    await targets.start();
    targets.drain('10.0.0.1:80');
    world.resolver.set('api.example', '10.0.0.2');
    await world.scheduler.advance(33_000);
    world.resolver.set('api.example', '10.0.0.1', '10.0.0.2');
    await world.scheduler.advance(33_000);
    expect(targets.statuses().map(({ drained }) => drained)).toEqual([true, false]);
  });

  it('of all targets leaves none, and an unknown target cannot be drained', () => {
    const targets = new TargetsWorld().open(upstreamOf(['10.0.0.1:80']));
    expect(targets.drain('10.0.0.2:80')).toBe('no_target');
    targets.drain('10.0.0.1:80');
    expect(targets.choose(anybody)).toEqual({ kind: 'unhealthy', retryAfterSeconds: 10 });
  });

  it('shows the open requests of a target, of any generation', () => {
    const world = new TargetsWorld();
    const before = world.open(upstreamOf(['10.0.0.1:80']));
    const tunnel = chosenOf(before.choose(anybody));
    const now = world.open(upstreamOf(['10.0.0.1:80']));
    now.drain('10.0.0.1:80');
    expect(now.statuses()[0]?.activeConnections).toBe(1);
    tunnel.ended('success');
    expect(now.statuses()[0]?.activeConnections).toBe(0);
  });

  it('lets open requests finish', () => {
    const world = new TargetsWorld();
    const targets = world.open(upstreamOf(['10.0.0.1:80']));
    const target = chosenOf(targets.choose(anybody));
    targets.drain('10.0.0.1:80');
    target.ended('success');
    expect(world.clients.made[0]?.closes).toEqual([]);
    expect(targets.statuses()[0]?.totalRequests).toBe(1);
  });
});

describe('UpstreamTargets: the state that is kept', () => {
  it('is empty after every generation is closed', async () => {
    const world = new TargetsWorld();
    const before = world.open(upstreamOf(three));
    visit(before);
    const now = world.open(upstreamOf(['10.0.0.1:80']));
    await before.close(5_000);
    expect(now.statuses()[0]?.totalRequests).toBe(1);
    expect(world.ledgers.size).toBe(1);
    await now.close(0);
    expect(world.ledgers.size).toBe(0);
    expect(world.clients.made.map(({ closes }) => closes)).toEqual([[5_000], [5_000], [5_000], [0]]);
  });

  it('reports pools by configured names', async () => {
    const world = new TargetsWorld();
    world.resolver.set('api.example', '10.0.0.1', '10.0.0.2');
    const targets = world.open(upstreamOf(['api.example:80', '10.0.0.9:80']));
    await targets.start();
    for (const host of ['10.0.0.1', '10.0.0.2', '10.0.0.9']) {
      Object.assign(world.clients.at(host, 80) as object, {
        activeConnections: 2,
        idleConnections: 1,
        waitingRequests: 4,
      });
    }
    expect(targets.pools()).toEqual([
      { upstream: 'api', target: 'api.example:80', size: 6, idle: 2, waiting: 8 },
      { upstream: 'api', target: '10.0.0.9:80', size: 3, idle: 1, waiting: 4 },
    ]);
  });

  it('includes idle connections, up to the limit of the upstream', () => {
    const world = new TargetsWorld();
    world.open(upstreamOf(['10.0.0.1:80', '10.0.0.2:80']), 2);
    const [one, two] = world.clients.made.map(({ settings }) => settings.idle);
    expect([one?.take(), two?.take(), one?.take()]).toEqual([true, true, false]);
    two?.giveBack();
    expect(one?.take()).toBe(true);
  });
});
