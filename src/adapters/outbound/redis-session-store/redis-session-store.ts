import type {
  SessionPage,
  SessionStore,
  Stored,
  StoreFailure,
  SubjectSessions,
} from '../../../application/ports/agent/session-store.js';
import type { Session } from '../../../domain/agent/saml/session/session.js';
import { noNameId } from '../../../domain/agent/saml/session/stored-name-id.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { notOurs, numberOf, timeToLive } from './redis-answers.js';
import type { RedisConnection } from './redis-connection.js';
import { subjectIndexKey, subjectKey, userKey } from './redis-keys.js';
import { readShownSession, writeSessionRecord } from './session-record.js';
import {
  expireScript,
  findScript,
  insertScript,
  listScript,
  prefixScript,
  removeMembersScript,
  removeScript,
} from './session-scripts.js';

/** Sessions that one command touches or removes, at the most: Redis serves nobody else meanwhile. */
const batchSize = 500;

const cursorOf = (after: string): readonly [score: string, idHash: string] | null => {
  const match = /^(-?\d{1,16}):([0-9a-f]{1,128})$/.exec(after);
  return match === null ? null : [match[1] as string, match[2] as string];
};

const readAll = (shown: unknown): Result<Session[], StoreFailure> => {
  if (!Array.isArray(shown)) return notOurs;
  const sessions: Session[] = [];
  for (const one of shown) {
    const session = readShownSession(one);
    if (session === null) return notOurs;
    sessions.push(session);
  }
  return ok(sessions);
};

/** Keeps sessions in Redis, where every process that has the same entity id finds them. */
export class RedisSessionStore implements SessionStore {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async insert(session: Session): Stored<void> {
    const { idHash, userId, issuer, sessionIndex, createdMs, expiresMs, lastSeenMs } = session;
    const { value: nameId } = session.nameId ?? noNameId;
    const inserted = numberOf(
      await this.#connection.run(insertScript, this.#prefix, [
        idHash,
        writeSessionRecord(session),
        userKey(userId),
        subjectKey(issuer, nameId),
        sessionIndex === null ? '' : subjectIndexKey(issuer, nameId, sessionIndex),
        String(-createdMs),
        String(expiresMs),
        String(lastSeenMs),
        timeToLive(createdMs, expiresMs),
      ]),
    );
    if (!inserted.ok) return inserted;
    return inserted.value === 1 ? ok(undefined) : err({ reason: 'there is a session of this id already' });
  }

  async find(idHash: string): Stored<Session | null> {
    const answer = await this.#connection.run(findScript, this.#prefix, [idHash]);
    if (!answer.ok) return answer;
    if (answer.value === null) return ok(null);
    const session = readShownSession(answer.value);
    return session === null ? notOurs : ok(session);
  }

  async touch(seen: readonly { readonly idHash: string; readonly lastSeenMs: number }[]): Stored<void> {
    for (let from = 0; from < seen.length; from += batchSize) {
      const pairs = seen
        .slice(from, from + batchSize)
        .flatMap(({ idHash, lastSeenMs }) => [String(lastSeenMs), idHash]);
      const answer = await this.#connection.send(['ZADD', `${this.#prefix}seen`, 'XX', 'GT', ...pairs]);
      if (!answer.ok) return answer;
    }
    // With nothing to do it tells all the same whether the store is there.
    const there = seen.length > 0 ? null : await this.#connection.send(['PING']);
    return there === null || there.ok ? ok(undefined) : there;
  }

  async remove(idHash: string): Stored<boolean> {
    const removed = numberOf(await this.#connection.run(removeScript, this.#prefix, [idHash]));
    return removed.ok ? ok(removed.value === 1) : removed;
  }

  async removeOfSubject({ issuer, nameId, sessionIndexes }: SubjectSessions): Stored<readonly string[]> {
    const keys =
      sessionIndexes.length === 0
        ? [subjectKey(issuer, nameId)]
        : sessionIndexes.map((index) => subjectIndexKey(issuer, nameId, index));
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
    if (after === null) return err({ reason: 'there is no such page' });
    const key = query.userId === null ? 'created' : userKey(query.userId);
    const parts = [key, String(query.limit), ...after];
    const answer = await this.#connection.run(listScript, this.#prefix, parts);
    if (!answer.ok) return answer;
    if (!Array.isArray(answer.value)) return notOurs;
    const [last, shown]: readonly unknown[] = answer.value;
    const sessions = readAll(shown);
    if (!sessions.ok) return sessions;
    return ok({ sessions: sessions.value, next: Array.isArray(last) ? last.join(':') : null });
  }

  async findByPrefix(hashPrefix: string, limit: number): Stored<readonly Session[]> {
    // The tilde comes after every digit and letter.
    const parts = [hashPrefix, `${hashPrefix}~`, String(limit)];
    const answer = await this.#connection.run(prefixScript, this.#prefix, parts);
    return answer.ok ? readAll(answer.value) : answer;
  }

  async removeExpired(nowMs: number, seenBeforeMs: number | null, limit: number): Stored<number> {
    const parts = [String(nowMs), seenBeforeMs === null ? '' : String(seenBeforeMs), String(limit)];
    return numberOf(await this.#connection.run(expireScript, this.#prefix, parts));
  }

  async count(): Stored<number> {
    return numberOf(await this.#connection.send(['ZCARD', `${this.#prefix}ids`]));
  }

  async #removeMembers(keys: Iterable<string>): Stored<readonly string[]> {
    const removed: string[] = [];
    for (const key of keys) {
      for (let looked = batchSize; looked === batchSize; ) {
        const answer = await this.#connection.run(removeMembersScript, this.#prefix, [key, String(batchSize)]);
        if (!answer.ok) return answer;
        if (!Array.isArray(answer.value)) return notOurs;
        const [count, ids]: readonly unknown[] = answer.value;
        if (typeof count !== 'number' || !Array.isArray(ids)) return notOurs;
        looked = count;
        for (const id of ids) removed.push(String(id));
      }
    }
    return ok(removed);
  }
}
