import type { SessionCache } from '../../src/application/agent/sessions/session-cache.js';
import type { Sessions, SessionsOptions } from '../../src/application/agent/sessions/sessions.js';
import type { SubjectSessions } from '../../src/application/ports/agent/session-store.js';
import type { SessionStores } from '../../src/application/ports/agent/session-stores.js';
import type { Clock } from '../../src/application/ports/shared/clock.js';
import { built } from '../built.js';
import type { Check, Comparison, PreparedComparisons } from '../checks/comparison.js';
import {
  type FilledStore,
  filledStore,
  provider,
  type StoreKind,
  sessionId,
  sessionOf,
  userOf,
} from './filled-store.js';
import { quietParts } from './quiet-parts.js';

const sizes = [1_000, 1_000_000];
/** Sessions that are in use in turn. */
const inUse = 1_000;
const cleaned = 100;
/** A step between two look-ups that has them meet sessions all over the store. */
const stride = 7_919;

const expectTrue = (what: string, holds: boolean): void => {
  if (!holds) throw new Error(`not as expected: ${what}`);
};

/** Fresh numbers, so that no session is inserted twice. */
let fresh = 10_000_000;

const nextFresh = (): number => {
  fresh += 1;
  return fresh;
};

const cached =
  (sessions: Sessions): Check['run'] =>
  (index) => {
    const outcome = sessions.check(sessionId(index % inUse));
    if (outcome instanceof Promise) return outcome.then(({ kind }) => expectTrue('active', kind === 'active'));
    expectTrue('active', outcome.kind === 'active');
    return undefined;
  };

const found =
  ({ stores, count, startMs }: FilledStore): Check['run'] =>
  async (index) => {
    const { idHash } = sessionOf((index * stride) % count, startMs);
    const session = await stores.sessions.find(idHash);
    expectTrue('found', session.ok && session.value?.idHash === idHash);
  };

const insertedAndRemoved =
  ({ stores, startMs }: FilledStore): Check['run'] =>
  async () => {
    const session = sessionOf(nextFresh(), startMs);
    expectTrue('inserted', (await stores.sessions.insert(session)).ok);
    const removed = await stores.sessions.remove(session.idHash);
    expectTrue('removed', removed.ok && removed.value);
  };

const revoked =
  ({ stores, startMs }: FilledStore): Check['run'] =>
  async () => {
    const index = nextFresh();
    expectTrue('inserted', (await stores.sessions.insert(sessionOf(index, startMs))).ok);
    const removed = await stores.sessions.removeOfUser(userOf(index));
    expectTrue('removed', removed.ok && removed.value.length === 1);
  };

/** @param isNamed the provider names the session alone, and not its subject */
const signedOut =
  ({ stores, startMs }: FilledStore, isNamed: boolean): Check['run'] =>
  async () => {
    const index = nextFresh();
    expectTrue('inserted', (await stores.sessions.insert(sessionOf(index, startMs))).ok);
    const named = { method: 'oidc', provider, sessionIndexes: [`sid-${index}`] } as const;
    const subject = isNamed ? null : `subject-${index}`;
    const removed = await stores.sessions.removeOfSubject({ ...named, subject } as SubjectSessions);
    expectTrue('removed', removed.ok && removed.value.length === 1);
  };

const cleanedUp =
  ({ stores, startMs }: FilledStore): Check['run'] =>
  async () => {
    const batch = Array.from({ length: cleaned }, () =>
      stores.sessions.insert(sessionOf(nextFresh(), startMs, startMs - 1)),
    );
    await Promise.all(batch);
    const removed = await stores.sessions.removeExpired(startMs, null, cleaned);
    expectTrue('removed', removed.ok && removed.value === cleaned);
  };

const operations: readonly (readonly [name: string, describes: string, run: (store: FilledStore) => Check['run']])[] = [
  ['find', 'a session outside the cache is read from the store', found],
  ['insert', 'one session is stored, and removed by its id', insertedAndRemoved],
  ['revoke', 'one session is stored, and all of its user are removed', revoked],
  ['logout', 'one session is stored, and removed by subject and sid', (store) => signedOut(store, false)],
  ['logout by sid', 'one session is stored, and removed by sid alone', (store) => signedOut(store, true)],
  ['cleanup', `${cleaned} sessions are stored, expire, and are removed in one batch`, cleanedUp],
];

const nameOf = ({ count }: FilledStore): string => `${count} sessions`;

export const prepareComparisons = async (kind: StoreKind): Promise<PreparedComparisons> => {
  const { Sessions: BuiltSessions } = await built<{ readonly Sessions: new (parts: SessionsOptions) => Sessions }>(
    'application/agent/sessions/sessions.js',
  );
  const { SessionCache: BuiltSessionCache } = await built<{
    readonly SessionCache: new (store: SessionStores['sessions'], clock: Clock) => SessionCache;
  }>('application/agent/sessions/session-cache.js');
  const parts = await quietParts();
  const filled: FilledStore[] = [];
  for (const size of sizes) filled.push(await filledStore(kind, size));
  const caches = filled.map(({ stores: { sessions } }) => {
    const known = new BuiltSessionCache(sessions, parts.clock);
    return new BuiltSessions({ ...parts, store: sessions, known });
  });
  const comparisonOf = (
    name: string,
    describes: string,
    run: (store: FilledStore, index: number) => Check['run'],
  ): Comparison => ({
    name,
    describes,
    rows: filled.map((store, index) => ({ name: nameOf(store), describes, check: { run: run(store, index) } })),
  });
  const comparisons = [
    comparisonOf('cached', `an active session is checked; ${inUse} are, in turn`, (_store, index) =>
      cached(caches[index] as Sessions),
    ),
    ...operations.map(([name, describes, run]) => comparisonOf(name, describes, run)),
  ];
  const remarks = filled.map((store) => `With ${nameOf(store)}, one takes ${store.octetsPerSession} bytes.`);
  const stop = async () => {
    for (const cache of caches) await cache.stop();
    for (const store of filled) await store.remove();
  };
  return { comparisons, remarks, stop };
};
