import type { SessionCache } from '../../src/application/agent/sessions/session-cache.js';
import type { Sessions, SessionsOptions } from '../../src/application/agent/sessions/sessions.js';
import type { SessionStores } from '../../src/application/ports/agent/session-stores.js';
import type { Clock } from '../../src/application/ports/shared/clock.js';
import { built } from '../built.js';
import type { Check, PreparedComparisons } from '../checks/comparison.js';
import { type FilledStore, filledStore, sessionId, sessionOf } from './filled-store.js';
import { quietParts } from './quiet-parts.js';

const sizes = [1_000, 100_000, 1_000_000];
/** Sessions that are in use in turn. */
const inUse = 1_000;
const cleaned = 100;
/** A step between two look-ups that has them meet sessions all over the database. */
const stride = 7_919;

const expectTrue = (what: string, holds: boolean): void => {
  if (!holds) throw new Error(`not as expected: ${what}`);
};

/** Fresh numbers, so that no session is inserted twice. */
let fresh = 10_000_000;

const remembered =
  (sessions: Sessions): Check['run'] =>
  (index) => {
    const outcome = sessions.check(sessionId(index % inUse));
    if (outcome instanceof Promise) return outcome.then(({ kind }) => expectTrue('active', kind === 'active'));
    expectTrue('active', outcome.kind === 'active');
    return undefined;
  };

const lookedUp =
  ({ stores, count, startMs }: FilledStore): Check['run'] =>
  async (index) => {
    const { idHash } = sessionOf((index * stride) % count, startMs);
    const found = await stores.sessions.find(idHash);
    expectTrue('found', found.ok && found.value?.idHash === idHash);
  };

const inserted =
  ({ stores, startMs }: FilledStore): Check['run'] =>
  async () => {
    fresh += 1;
    expectTrue('inserted', (await stores.sessions.insert(sessionOf(fresh, startMs))).ok);
  };

const insertedTogether =
  ({ stores, startMs }: FilledStore): Check['run'] =>
  async () => {
    const batch = Array.from({ length: cleaned }, () => {
      fresh += 1;
      return stores.sessions.insert(sessionOf(fresh, startMs));
    });
    expectTrue(
      'inserted',
      (await Promise.all(batch)).every(({ ok }) => ok),
    );
  };

const cleanedUp =
  ({ stores, startMs }: FilledStore): Check['run'] =>
  async () => {
    const batch = Array.from({ length: cleaned }, () => {
      fresh += 1;
      return stores.sessions.insert(sessionOf(fresh, startMs, startMs - 1));
    });
    await Promise.all(batch);
    const removed = await stores.sessions.removeExpired(startMs, null, cleaned);
    expectTrue('removed', removed.ok && removed.value === cleaned);
  };

export const prepareComparisons = async (): Promise<PreparedComparisons> => {
  const { Sessions: BuiltSessions } = await built<{ readonly Sessions: new (parts: SessionsOptions) => Sessions }>(
    'application/agent/sessions/sessions.js',
  );
  const { KnownSessions: BuiltKnownSessions } = await built<{
    readonly KnownSessions: new (store: SessionStores['sessions'], clock: Clock) => SessionCache;
  }>('application/agent/sessions/session-cache.js');
  const filled: FilledStore[] = [];
  for (const size of sizes) filled.push(await filledStore(size));
  const rows = (describes: string, run: (store: FilledStore) => Check['run']) =>
    filled.map((store) => ({ name: `${store.count} sessions`, describes, check: { run: run(store) } }));
  const parts = await quietParts();
  const memoryOf = ({ stores: { sessions } }: FilledStore): Sessions =>
    new BuiltSessions({ ...parts, store: sessions, known: new BuiltKnownSessions(sessions, parts.clock) });
  const memories = new Map(filled.map((store) => [store, memoryOf(store)]));
  const comparisons = [
    {
      name: 'remembered',
      describes: `an active session is checked; ${inUse} are, in turn`,
      rows: rows('checked', (store) => remembered(memories.get(store) as Sessions)),
    },
    {
      name: 'looked up',
      describes: 'a session outside the cache is read from the database',
      rows: rows('read', lookedUp),
    },
    { name: 'insert', describes: 'one session, on the disk before the answer', rows: rows('written', inserted) },
    {
      name: 'insert 100',
      describes: '100 sessions at the same time',
      rows: rows('written', insertedTogether),
    },
    {
      name: 'cleanup',
      describes: '100 sessions are written, expire, and are removed in one batch',
      rows: rows('removed', cleanedUp),
    },
  ];
  const stop = async () => {
    for (const memory of memories.values()) await memory.stop();
    for (const store of filled) await store.remove();
  };
  return { comparisons, stop };
};
