import { beforeEach, describe, expect, it } from 'vitest';
import { RequestAdmissions } from '../../../../../src/application/gateway/admit/request-admissions.js';
import type { RequestSlot } from '../../../../../src/application/gateway/admit/request-slots.js';
import { streamAgeMs } from '../../../../../src/application/gateway/admit/stream-slots.js';
import { LocalPermitBook } from '../../../../../src/application/gateway/workers/share-permits/local-permits.js';
import type { LimitsConfiguration } from '../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { PermitWorkers } from '../../../../support/gateway/permit-workers.js';
import { plainLimits } from '../../../../support/gateway/plain-configurations.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { ManualScheduler } from '../../../../support/shared/manual-scheduler.js';

const enter = (admissions: RequestAdmissions, client: string | null = null): RequestSlot => {
  const admission = admissions.admit(admissions.route('all'), client);
  if (admission.kind !== 'slot') throw new Error(`it is ${admission.kind}`);
  return admission;
};

describe('a stream', () => {
  let scheduler: ManualScheduler;
  let admissions: RequestAdmissions;
  const limit = (changes: Partial<LimitsConfiguration>): void => admissions.limit({ ...plainLimits, ...changes });
  const kind = (client: string | null = null): string => admissions.admit(admissions.route('all'), client).kind;
  beforeEach(() => {
    scheduler = new ManualScheduler(new ManualClock());
    admissions = new RequestAdmissions(scheduler, new LocalPermitBook());
  });

  it.each(['maxInFlightRequests', 'maxInFlightRequestsPerWorker'] as const)(
    'returns its slot of %s, and nothing more when it ends',
    (name) => {
      limit({ [name]: 1 });
      const stream = admissions.streams.track(enter(admissions), 0);
      expect([admissions.inFlight, admissions.streams.taken]).toEqual([0, 1]);
      const other = enter(admissions);
      expect(kind()).toBe('full');
      stream.release();
      expect([admissions.inFlight, admissions.streams.taken]).toEqual([1, 0]);
      other.release();
      expect(admissions.inFlight).toBe(0);
    },
  );

  it('admits the request that queues for its slot', () => {
    limit({ maxInFlightRequests: 1, maxQueuedRequests: 1 });
    const slot = enter(admissions);
    const waiting = admissions.admit(admissions.route('all'), null);
    if (waiting.kind !== 'full') throw new Error(`it is ${waiting.kind}`);
    const outcomes: unknown[] = [];
    admissions.wait(waiting.slot, '192.0.2.1', 1_000, (violation) => outcomes.push(violation));
    admissions.streams.track(slot, 0);
    expect(outcomes).toEqual([null]);
  });

  it('counts for its route and its client until it ends', () => {
    limit({ maxInFlightRequests: 100, maxConnectionsPerRoute: 2, maxConnectionsPerClient: 1 });
    const stream = admissions.streams.track(enter(admissions, '192.0.2.1'), 0);
    expect(kind('192.0.2.1')).toBe('refused');
    expect(kind('192.0.2.2')).toBe('slot');
    expect(kind()).toBe('refused');
    stream.release();
    expect(kind('192.0.2.1')).toBe('slot');
  });

  it('stays in flight until its age, and tries no more once it has ended', async () => {
    limit({ maxInFlightRequests: 2 });
    const ended = admissions.streams.track(enter(admissions), streamAgeMs);
    const stream = admissions.streams.track(enter(admissions), streamAgeMs);
    await scheduler.advance(streamAgeMs - 1);
    expect(admissions.inFlight).toBe(2);
    ended.release();
    expect([admissions.inFlight, scheduler.waiting]).toEqual([1, 1]);
    await scheduler.advance(1);
    expect([admissions.inFlight, admissions.streams.taken]).toEqual([0, 1]);
    stream.release();
    expect([admissions.inFlight, admissions.streams.taken, scheduler.waiting]).toEqual([0, 0, 0]);
  });

  it('above max-total-connections keeps its slot until another stream has ended', async () => {
    limit({ maxTotalConnections: 2, maxInFlightRequests: 3 });
    const streams = [0, 1, 2].map(() => admissions.streams.track(enter(admissions), 0));
    expect([admissions.inFlight, admissions.streams.taken]).toEqual([1, 2]);
    await scheduler.advance(streamAgeMs);
    expect([admissions.inFlight, admissions.streams.taken]).toEqual([1, 2]);
    streams[0]?.release();
    expect([admissions.inFlight, admissions.streams.taken]).toEqual([1, 1]);
    await scheduler.advance(streamAgeMs);
    expect([admissions.inFlight, admissions.streams.taken]).toEqual([0, 2]);
    for (const stream of streams) stream.release();
    expect([admissions.inFlight, admissions.streams.taken, scheduler.waiting]).toEqual([0, 0, 0]);
  });

  it('stays a stream when a reload lowers the limits', () => {
    limit({ maxTotalConnections: 2, maxInFlightRequests: 2 });
    const first = admissions.streams.track(enter(admissions), 0);
    const second = admissions.streams.track(enter(admissions), 0);
    limit({ maxTotalConnections: 1, maxInFlightRequests: 1 });
    admissions.keepRoutes(new Set());
    expect([admissions.inFlight, admissions.streams.taken, admissions.route('all').taken]).toEqual([0, 2, 2]);
    const third = admissions.streams.track(enter(admissions), 0);
    expect(admissions.inFlight).toBe(1);
    for (const stream of [first, second, third]) stream.release();
    expect([admissions.inFlight, admissions.streams.taken, admissions.route('all').taken]).toEqual([0, 0, 0]);
  });

  it('gives nothing back twice', () => {
    limit({ maxInFlightRequests: 2 });
    const other = enter(admissions);
    const stream = admissions.streams.track(enter(admissions), 0);
    stream.release();
    stream.release();
    expect([admissions.inFlight, admissions.streams.taken, admissions.route('all').taken]).toEqual([1, 0, 1]);
    other.release();
  });
});

describe('the streams of two workers', () => {
  const limits = { maxTotalConnections: 3, maxInFlightRequests: 10 };
  let workers: PermitWorkers;
  let admissions: RequestAdmissions[];
  const taken = (): readonly number[] => admissions.map(({ streams }) => streams.taken);
  const inFlight = (): readonly number[] => admissions.map((one) => one.inFlight);
  const begin = async (index: number) => {
    const one = admissions[index] as RequestAdmissions;
    const stream = one.streams.track(enter(one), 0);
    await workers.quiet();
    return stream;
  };
  beforeEach(async () => {
    workers = new PermitWorkers(2, limits);
    admissions = workers.workers.map(({ book }) => new RequestAdmissions(workers.scheduler, book));
    for (const one of admissions) one.limit({ ...plainLimits, ...limits });
    await workers.quiet();
  });

  it('share max-total-connections: one worker may have all, and one more keeps its slot', async () => {
    for (let count = 0; count < 3; count += 1) await begin(0);
    expect([taken(), inFlight()]).toEqual([
      [3, 0],
      [0, 0],
    ]);
    await begin(1);
    expect([taken(), inFlight()]).toEqual([
      [3, 0],
      [0, 1],
    ]);
  });

  it('return a permit that arrives after the end', async () => {
    await begin(0);
    const one = admissions[0] as RequestAdmissions;
    // The second of the worker needs more than its share, so it asks.
    const stream = one.streams.track(enter(one), 0);
    expect(one.inFlight).toBe(1);
    stream.release();
    expect(one.inFlight).toBe(0);
    await workers.quiet();
    await workers.pass(1_000);
    await workers.quiet();
    expect(taken()).toEqual([1, 0]);
    await begin(1);
    await begin(1);
    expect(taken()).toEqual([1, 2]);
  });
});
