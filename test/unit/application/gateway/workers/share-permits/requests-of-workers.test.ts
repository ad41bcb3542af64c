import { beforeEach, describe, expect, it } from 'vitest';
import {
  RequestAdmissions,
  type SettledAdmission,
} from '../../../../../../src/application/gateway/admit/request-admissions.js';
import type { RequestSlot } from '../../../../../../src/application/gateway/admit/request-slots.js';
import type { LimitsConfiguration } from '../../../../../../src/domain/gateway/configuration/gateway-configuration.js';
import { PermitWorkers } from '../../../../../support/gateway/permit-workers.js';
import { plainLimits } from '../../../../../support/gateway/plain-configurations.js';

let workers: PermitWorkers;
let admissions: RequestAdmissions[];
/** The outcomes of queued requests, by name: null, or the name of the limit. */
let told: [string, string | null][];
const slots = new Map<string, RequestSlot>();

const start = async (count: number, changes: Partial<LimitsConfiguration>): Promise<void> => {
  workers = new PermitWorkers(count, changes);
  admissions = workers.workers.map(({ book }) => new RequestAdmissions(workers.scheduler, book));
  for (const one of admissions) one.limit({ ...plainLimits, ...changes });
  await workers.quiet();
};
beforeEach(() => {
  told = [];
  slots.clear();
});

const of = (index: number): RequestAdmissions => admissions[index] as RequestAdmissions;

/** Admits a request to a worker, as the stage does, and returns the immediate outcome. */
const come = async (
  index: number,
  name: string,
  { route = 'all', client = null }: { readonly route?: string; readonly client?: string | null } = {},
): Promise<string> => {
  const first = of(index).admit(of(index).route(route), client);
  let settled: SettledAdmission | null = first.kind === 'asked' ? null : first;
  if (first.kind === 'asked') void first.settled.then((later) => (settled = later));
  await workers.quiet();
  if (settled === null) throw new Error('nobody answered');
  const admission: SettledAdmission = settled;
  if (admission.kind === 'refused') return admission.violation.name;
  const slot = admission.kind === 'slot' ? admission : admission.slot;
  slots.set(name, slot);
  if (admission.kind === 'slot') return 'in';
  of(index).wait(slot, '192.0.2.1', 1_000, (violation) => told.push([name, violation?.name ?? null]));
  await workers.quiet();
  return 'waits';
};

const end = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) slots.get(name)?.release();
  await workers.quiet();
};

describe('the requests in flight in two workers', () => {
  it('reach the limit in one worker alone, and need no message up to its share', async () => {
    await start(2, { maxInFlightRequests: 6, maxQueuedRequests: 4 });
    const before = workers.sent;
    for (const name of ['a', 'b', 'c']) expect(await come(0, name)).toBe('in');
    expect(workers.sent).toBe(before);
    for (const name of ['d', 'e', 'f']) await come(0, name);
    expect([of(0).inFlight, of(0).queued]).toEqual([6, 0]);
    await come(0, 'g');
    expect([of(0).inFlight, of(0).queued]).toEqual([6, 1]);
  });

  it('free permits for each other: an end in one worker admits a queued request in the other', async () => {
    await start(2, { maxInFlightRequests: 2, maxQueuedRequests: 4 });
    await come(0, 'a');
    await come(0, 'b');
    expect(await come(1, 'c')).toBe('waits');
    expect(of(0).inFlight + of(1).inFlight).toBe(2);
    expect(told).not.toContainEqual(['c', null]);
    await end('a');
    expect(told).toContainEqual(['c', null]);
    expect(of(0).inFlight + of(1).inFlight).toBe(2);
  });

  it('need no messages when they follow one another while others queue', async () => {
    await start(2, { maxInFlightRequests: 2, maxQueuedRequests: 10 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await come(0, name);
    expect([of(0).inFlight, of(0).queued]).toEqual([2, 3]);
    const before = workers.sent;
    await end('a');
    await end('b');
    expect([of(0).inFlight, of(0).queued]).toEqual([2, 1]);
    expect(workers.sent).toBe(before);
  });

  it('are refused by the name of the limit after the queue timeout', async () => {
    await start(2, { maxInFlightRequests: 2, maxQueuedRequests: 4 });
    for (const name of ['a', 'b', 'c']) await come(0, name);
    await workers.pass(1_000);
    expect(told.at(-1)).toEqual(['c', 'max-in-flight-requests']);
  });

  it('use idle permits of the other worker even without a queue', async () => {
    await start(2, { maxInFlightRequests: 4, maxQueuedRequests: 0 });
    for (const name of ['a', 'b', 'c', 'd']) await come(0, name);
    expect([of(0).inFlight, told]).toEqual([
      4,
      [
        ['c', null],
        ['d', null],
      ],
    ]);
    expect(await come(0, 'e')).toBe('waits');
    expect(told.at(-1)).toEqual(['e', 'max-in-flight-requests']);
  });

  it('of a dead worker make room for the other worker', async () => {
    await start(2, { maxInFlightRequests: 2, maxQueuedRequests: 4 });
    await come(0, 'a');
    await come(0, 'b');
    await come(1, 'c');
    expect(of(1).inFlight).toBe(0);
    workers.workers[0]?.die();
    await workers.quiet();
    expect(told).toContainEqual(['c', null]);
  });
});

it('queued requests of all workers share the slots of the queue', async () => {
  await start(2, { maxInFlightRequests: 1, maxQueuedRequests: 3 });
  await come(0, 'first');
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) await come(index % 2, name);
  expect(of(0).queued + of(1).queued).toBe(3);
  expect(told.filter(([, name]) => name === 'max-queued-requests')).toHaveLength(2);
});

it('requests of a client and of a route share their limits over all workers', async () => {
  await start(3, { maxConnectionsPerClient: 2, maxConnectionsPerRoute: 4 });
  const client = '192.0.2.7';
  expect(await come(0, 'a', { client })).toBe('in');
  expect(await come(1, 'b', { client })).toBe('in');
  expect(await come(2, 'c', { client })).toBe('max-connections-per-client');
  expect(await come(2, 'd')).toBe('in');
  expect(await come(2, 'e')).toBe('in');
  expect(await come(0, 'f')).toBe('max-connections-per-route');
  expect(await come(0, 'g', { route: 'other' })).toBe('in');
  await end('a', 'b', 'd', 'e', 'g');
  expect(await come(2, 'h', { client })).toBe('in');
  await end('h');
  expect([workers.desk.contendedKeys, of(0).countedClients, of(2).countedClients]).toEqual([0, 0, 0]);
});
