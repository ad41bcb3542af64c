import type {
  EndedRefresh,
  LeaseOutcome,
  RefreshLease,
  SessionCounts,
  SessionPage,
  SessionStore,
  Stored,
  StoreFailure,
  SubjectSessions,
} from '../../../application/ports/agent/session-store.js';
import type { Session } from '../../../domain/agent/sessions/session.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import {
  foreignContent,
  providerSessionKey,
  type SessionKeyspace,
  subjectIndexKey,
  subjectKey,
  timeToLive,
  userKey,
} from './session-keyspace.js';
import { readShownSession, writeSessionRecord } from './session-record.js';
import {
  countScript,
  endRefreshScript,
  expireScript,
  findScript,
  insertScript,
  leaseScript,
  listScript,
  prefixScript,
  removeMembersScript,
  removeScript,
} from './session-scripts.js';

/** Maximum sessions per command. Redis serves no other client meanwhile. */
const batchSize = 500;

const cursorOf = (after: string): readonly [score: string, idHash: string] | null => {
  const match = /^(-?\d{1,16}):([0-9a-f]{1,128})$/.exec(after);
  return match === null ? null : [match[1] as string, match[2] as string];
};

const readAll = (shown: unknown): Result<Session[], StoreFailure> => {
  if (!Array.isArray(shown)) return foreignContent;
  const sessions: Session[] = [];
  for (const one of shown) {
    const session = readShownSession(one);
    if (session === null) return foreignContent;
    sessions.push(session);
  }
  return ok(sessions);
};

/** By the number that the script returns. */
const leaseOutcomes: ReadonlyMap<number, LeaseOutcome> = new Map([
  [1, 'leased'],
  [0, 'held'],
  [2, 'backing_off'],
  [-1, 'gone'],
]);

/** Sessions in Redis, shared by all processes with the same entity id. */
export class RedisSessionStore implements SessionStore {
  readonly #keyspace: SessionKeyspace;

  constructor(keyspace: SessionKeyspace) {
    this.#keyspace = keyspace;
  }

  async insert(session: Session): Stored<void> {
    const { idHash, userId, provider, logout, method, createdMs, expiresMs, lastSeenMs } = session;
    const subject = logout?.subject ?? '';
    const name = logout?.session ?? null;
    const inserted = await this.#keyspace.runForNumber(insertScript, [
      idHash,
      writeSessionRecord(session),
      userKey(userId),
      subjectKey(method, provider, subject),
      name === null ? '' : subjectIndexKey(method, provider, subject, name),
      String(-createdMs),
      String(expiresMs),
      String(lastSeenMs),
      timeToLive(createdMs, expiresMs),
      method,
      name === null || method !== 'oidc' ? '' : providerSessionKey(provider, name),
    ]);
    if (!inserted.ok) return inserted;
    return inserted.value === 1 ? ok(undefined) : err({ reason: 'a session with this id already exists' });
  }

  async find(idHash: string): Stored<Session | null> {
    const answer = await this.#keyspace.run(findScript, [idHash]);
    if (!answer.ok) return answer;
    if (answer.value === null) return ok(null);
    const session = readShownSession(answer.value);
    return session === null ? foreignContent : ok(session);
  }

  async touch(seen: readonly { readonly idHash: string; readonly lastSeenMs: number }[]): Stored<void> {
    for (let from = 0; from < seen.length; from += batchSize) {
      const pairs = seen
        .slice(from, from + batchSize)
        .flatMap(({ idHash, lastSeenMs }) => [String(lastSeenMs), idHash]);
      const answer = await this.#keyspace.raiseScores('seen', pairs);
      if (!answer.ok) return answer;
    }
    // A call without sessions still checks that the store is reachable.
    const pinged = seen.length > 0 ? null : await this.#keyspace.ping();
    return pinged === null || pinged.ok ? ok(undefined) : pinged;
  }

  async takeRefreshLease({ idHash, holder, untilMs, nowMs }: RefreshLease): Stored<LeaseOutcome> {
    const parameters = [idHash, holder, String(untilMs), String(nowMs)];
    const taken = await this.#keyspace.runForNumber(leaseScript, parameters);
    if (!taken.ok) return taken;
    const outcome = leaseOutcomes.get(taken.value);
    return outcome === undefined ? foreignContent : ok(outcome);
  }

  async endRefresh({ idHash, holder, details, backoffUntilMs }: EndedRefresh): Stored<boolean> {
    // Only the holder of the lease changes the record, so it stays as it is between the two scripts.
    const found = details === null ? ok(null) : await this.find(idHash);
    if (!found.ok) return found;
    if (details !== null && found.value === null) return ok(false);
    const record = details === null || found.value === null ? '' : writeSessionRecord({ ...found.value, details });
    const parameters = [idHash, holder, record, String(backoffUntilMs)];
    const ended = await this.#keyspace.runForNumber(endRefreshScript, parameters);
    return ended.ok ? ok(ended.value === 1) : ended;
  }

  async remove(idHash: string): Stored<boolean> {
    const removed = await this.#keyspace.runForNumber(removeScript, [idHash]);
    return removed.ok ? ok(removed.value === 1) : removed;
  }

  async removeOfSubject({ method, provider, subject, sessionIndexes }: SubjectSessions): Stored<readonly string[]> {
    const keyOf = (index: string): string =>
      subject === null ? providerSessionKey(provider, index) : subjectIndexKey(method, provider, subject, index);
    const keys =
      subject !== null && sessionIndexes.length === 0
        ? [subjectKey(method, provider, subject)]
        : sessionIndexes.map(keyOf);
    return this.#removeMembers(new Set(keys));
  }

  async removeOfUser(userId: string): Stored<readonly string[]> {
    return this.#removeMembers([userKey(userId)]);
  }

  async list(query: {
    readonly userId: string | null;
    readonly limit: number;
    readonly after: string | null;
  }): Stored<SessionPage> {
    const after = query.after === null ? (['', ''] as const) : cursorOf(query.after);
    if (after === null) return err({ reason: 'invalid page token' });
    const key = query.userId === null ? 'created' : userKey(query.userId);
    const answer = await this.#keyspace.run(listScript, [key, String(query.limit), ...after]);
    if (!answer.ok) return answer;
    if (!Array.isArray(answer.value)) return foreignContent;
    const [last, shown]: readonly unknown[] = answer.value;
    const sessions = readAll(shown);
    if (!sessions.ok) return sessions;
    return ok({ sessions: sessions.value, next: Array.isArray(last) ? last.join(':') : null });
  }

  async findByPrefix(hashPrefix: string, limit: number): Stored<readonly Session[]> {
    // The tilde sorts after every digit and letter.
    const answer = await this.#keyspace.run(prefixScript, [hashPrefix, `${hashPrefix}~`, String(limit)]);
    return answer.ok ? readAll(answer.value) : answer;
  }

  removeExpired(nowMs: number, seenBeforeMs: number | null, limit: number): Stored<number> {
    const earliest = seenBeforeMs === null ? '' : String(seenBeforeMs);
    return this.#keyspace.runForNumber(expireScript, [String(nowMs), earliest, String(limit)]);
  }

  count(): Stored<number> {
    return this.#keyspace.cardinality('ids');
  }

  async countByMethod(): Stored<SessionCounts> {
    const answer = await this.#keyspace.run(countScript, []);
    if (!answer.ok) return answer;
    if (!Array.isArray(answer.value)) return foreignContent;
    const [all, oidc]: readonly unknown[] = answer.value;
    if (typeof all !== 'number' || typeof oidc !== 'number') return foreignContent;
    return ok({ saml: Math.max(0, all - oidc), oidc });
  }

  async #removeMembers(keys: Iterable<string>): Stored<readonly string[]> {
    const removed: string[] = [];
    for (const key of keys) {
      for (let examined = batchSize; examined === batchSize; ) {
        const answer = await this.#keyspace.run(removeMembersScript, [key, String(batchSize)]);
        if (!answer.ok) return answer;
        if (!Array.isArray(answer.value)) return foreignContent;
        const [count, ids]: readonly unknown[] = answer.value;
        if (typeof count !== 'number' || !Array.isArray(ids)) return foreignContent;
        examined = count;
        for (const id of ids) removed.push(String(id));
      }
    }
    return ok(removed);
  }
}
