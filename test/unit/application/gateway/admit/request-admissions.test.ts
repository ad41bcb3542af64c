import { describe, expect, it } from 'vitest';
import { RequestAdmissions } from '../../../../../src/application/gateway/admit/request-admissions.js';
import type { RequestSlot } from '../../../../../src/application/gateway/admit/request-slots.js';
import { LocalPermitBook } from '../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { LimitsConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import type { LimitViolation } from '../../../../../src/domain/gateway/limits/limit-violation.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';

const setUp = (changes: Partial<LimitsConfiguration> = {}) => {
  const scheduler = new ManualScheduler(new ManualClock());
  const admissions = new RequestAdmissions(scheduler, new LocalPermitBook());
  admissions.limit({ ...plainLimits, ...changes });
  const route = admissions.route('all');

  const letIn = (client: string | null = null, at = route): RequestSlot => {
    const admission = admissions.admit(at, client);
    if (admission.kind !== 'slot') throw new Error(`it is ${admission.kind}`);
    return admission;
  };
  const refused = (client: string | null = null, at = route): LimitViolation => {
    const admission = admissions.admit(at, client);
    if (admission.kind !== 'refused') throw new Error(`it is ${admission.kind}`);
    return admission.violation;
  };
  /** The outcomes are added to `told`: null, or the name of the limit. */
  const told: [string, string | null][] = [];
  const slots = new Map<string, RequestSlot>();
  const wait = (name: string, client: string, timeoutMs = 1_000): (() => void) | null => {
    const admission = admissions.admit(route, null);
    if (admission.kind !== 'full') throw new Error(`it is ${admission.kind}`);
    slots.set(name, admission.slot);
    return admissions.wait(admission.slot, client, timeoutMs, (violation) => {
      told.push([name, violation === null ? null : violation.name]);
    });
  };
  return { admissions, scheduler, route, letIn, refused, wait, told, slots };
};

describe('a limit', () => {
  it.each([
    [{ maxInFlightRequests: 3 }, 'max-in-flight-requests'],
    [{ maxInFlightRequestsPerWorker: 3 }, 'max-in-flight-requests-per-worker'],
    [{ maxInFlightRequests: 3, maxInFlightRequestsPerWorker: 3 }, 'max-in-flight-requests'],
  ])('of requests in flight admits that many, and queues the next one: %o', async (changes, name) => {
    const { admissions, letIn, wait, told, scheduler } = setUp(changes);
    for (let count = 0; count < 3; count += 1) letIn();
    expect(admissions.inFlight).toBe(3);
    wait('next', '192.0.2.1', 500);
    await scheduler.advance(499);
    expect(told).toEqual([]);
    await scheduler.advance(1);
    expect(told).toEqual([['next', name]]);
    expect([admissions.inFlight, admissions.queued, scheduler.waiting]).toEqual([3, 0, 0]);
  });

  it('of a route refuses requests above it at once, and no other route', () => {
    const { admissions, letIn, refused } = setUp({ maxConnectionsPerRoute: 2 });
    const first = letIn();
    letIn();
    expect(refused()).toEqual({
      code: 'connection_limit_reached',
      name: 'max-connections-per-route',
      limit: 2,
      actual: 3,
    });
    letIn(null, admissions.route('other'));
    first.release();
    letIn();
  });

  it('of a route that equals the limit in flight leaves further requests to the queue', () => {
    const { letIn, wait, told } = setUp({ maxConnectionsPerRoute: 2, maxInFlightRequests: 2 });
    const first = letIn();
    letIn();
    wait('third', '192.0.2.1');
    first.release();
    expect(told).toEqual([['third', null]]);
  });

  it('of a counted client refuses requests above it at once, and no other client', () => {
    const { admissions, letIn, refused } = setUp({ maxConnectionsPerClient: 2 });
    const slots = [letIn('192.0.2.1'), letIn('192.0.2.1'), letIn('192.0.2.2')];
    expect(refused('192.0.2.1')).toEqual({
      code: 'connection_limit_reached',
      name: 'max-connections-per-client',
      limit: 2,
      actual: 3,
    });
    for (const slot of slots) slot.release();
    expect([admissions.inFlight, admissions.countedClients, admissions.route('all').taken]).toEqual([0, 0, 0]);
  });

  it('does not apply to clients that are not counted', () => {
    const { letIn, admissions } = setUp({ maxConnectionsPerClient: 1 });
    for (let count = 0; count < 5; count += 1) letIn(null);
    expect([admissions.inFlight, admissions.countedClients]).toEqual([5, 0]);
  });

  it('that is not set admits nothing', () => {
    const admissions = new RequestAdmissions(new ManualScheduler(new ManualClock()), new LocalPermitBook());
    expect(admissions.admit(admissions.route('all'), null)).toMatchObject({ kind: 'refused' });
  });
});

describe('queued requests', () => {
  it('are admitted in turn by client', () => {
    const { letIn, wait, told, slots, admissions } = setUp({ maxInFlightRequests: 1 });
    const first = letIn();
    wait('a1', '192.0.2.1');
    wait('a2', '192.0.2.1');
    wait('a3', '192.0.2.1');
    wait('b1', '192.0.2.2');
    first.release();
    for (let next = told.at(-1); next !== undefined && told.length < 4; next = told.at(-1)) {
      slots.get(next[0])?.release();
    }
    expect(told).toEqual([
      ['a1', null],
      ['b1', null],
      ['a2', null],
      ['a3', null],
    ]);
    expect(admissions.inFlight).toBe(1);
  });

  it('of one IPv6 network take turns as one client', () => {
    const { letIn, wait, told } = setUp({ maxInFlightRequests: 1, maxQueuedRequests: 3 });
    letIn();
    wait('a', '2001:db8::1');
    wait('b', '2001:db8::2');
    wait('c', '2001:db8::3');
    // Three clients with one slot each would keep theirs.
    wait('d', '2001:db8:0:1::1');
    expect(told).toEqual([['c', 'max-queued-requests']]);
  });

  it('fill the slots of the queue; then the newest of the client with most is evicted, or the new one', () => {
    const { letIn, wait, told, admissions } = setUp({ maxInFlightRequests: 1, maxQueuedRequests: 3 });
    letIn();
    wait('a1', '192.0.2.1');
    wait('a2', '192.0.2.1');
    wait('a3', '192.0.2.1');
    expect(wait('a4', '192.0.2.1')).toBeNull();
    expect(told).toEqual([['a4', 'max-queued-requests']]);
    expect(wait('b1', '192.0.2.2')).not.toBeNull();
    expect(told.at(-1)).toEqual(['a3', 'max-queued-requests']);
    expect(wait('b2', '192.0.2.2')).toBeNull();
    expect(told.at(-1)).toEqual(['b2', 'max-queued-requests']);
    expect(admissions.queued).toBe(3);
  });

  it('do not exist without slots: the limit in flight applies', () => {
    const { letIn, wait, told, scheduler } = setUp({ maxInFlightRequests: 1, maxQueuedRequests: 0 });
    letIn();
    expect(wait('next', '192.0.2.1')).toBeNull();
    expect(told).toEqual([['next', 'max-in-flight-requests']]);
    expect(scheduler.waiting).toBe(0);
  });

  it('leave no state when their clients disconnect', () => {
    const { letIn, wait, told, admissions, scheduler } = setUp({ maxInFlightRequests: 1 });
    const first = letIn();
    const leave = wait('next', '192.0.2.1');
    leave?.();
    expect([admissions.queued, admissions.route('all').taken, scheduler.waiting]).toEqual([0, 1, 0]);
    first.release();
    expect(told).toEqual([]);
    expect([admissions.inFlight, admissions.route('all').taken]).toEqual([0, 0]);
  });

  it('are admitted as soon as a reload makes room', () => {
    const { letIn, wait, told, admissions } = setUp({ maxInFlightRequests: 1 });
    letIn();
    wait('a', '192.0.2.1');
    wait('b', '192.0.2.2');
    wait('c', '192.0.2.3');
    admissions.limit({ ...plainLimits, maxInFlightRequests: 3 });
    expect(told).toEqual([
      ['a', null],
      ['b', null],
    ]);
    expect([admissions.inFlight, admissions.queued]).toEqual([3, 1]);
  });

  it('stay queued after a reload that lowers the limit, until fewer are in flight', () => {
    const { letIn, wait, told, admissions } = setUp({ maxInFlightRequests: 3 });
    const slots = [letIn(), letIn(), letIn()];
    wait('next', '192.0.2.1');
    admissions.limit({ ...plainLimits, maxInFlightRequests: 1 });
    slots[0]?.release();
    slots[1]?.release();
    expect(told).toEqual([]);
    slots[2]?.release();
    expect(told).toEqual([['next', null]]);
  });
});

describe('while memory is short', () => {
  const shortage: LimitViolation = { code: 'memory_limit_reached', name: 'max-memory-bytes', limit: 1, actual: 2 };

  it('nothing queues, and requests within the limits are served', () => {
    const { letIn, refused, wait, told, admissions, scheduler } = setUp({ maxInFlightRequests: 2 });
    letIn();
    const second = letIn();
    wait('next', '192.0.2.1');
    admissions.setMemoryShortage(shortage);
    expect(told).toEqual([['next', 'max-memory-bytes']]);
    expect([admissions.queued, admissions.route('all').taken, scheduler.waiting]).toEqual([0, 2, 0]);
    expect(refused('192.0.2.9')).toBe(shortage);
    expect(admissions.countedClients).toBe(0);
    second.release();
    letIn();
    admissions.setMemoryShortage(null);
    wait('later', '192.0.2.1');
    expect(told).toHaveLength(1);
  });
});

describe('routes', () => {
  it('keep their counts over a reload, and are forgotten after they are removed and empty', () => {
    const { admissions, letIn, route } = setUp({ maxConnectionsPerRoute: 1 });
    const slot = letIn();
    admissions.keepRoutes(new Set());
    expect(admissions.route('all')).toBe(route);
    slot.release();
    admissions.keepRoutes(new Set(['all']));
    expect(admissions.route('all')).toBe(route);
    admissions.keepRoutes(new Set());
    expect(admissions.route('all')).not.toBe(route);
  });
});
