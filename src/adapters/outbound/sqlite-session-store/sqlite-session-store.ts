import type {
  SessionPage,
  SessionStore,
  Stored,
  SubjectSessions,
} from '../../../application/ports/agent/session-store.js';
import type { Session } from '../../../domain/agent/saml/session/session.js';
import { noNameId } from '../../../domain/agent/saml/session/stored-name-id.js';
import { err, ok } from '../../../domain/shared/result.js';
import { listBegin, pagePlace, pageToken } from './page-token.js';
import { sessionOf, subjectHash } from './session-row.js';
import { prepareSessionStatements, type SessionStatements } from './session-statements.js';
import type { StoreConnection } from './store-connection.js';

/** After every hexadecimal digit. */
const afterDigits = 'g';

/** Rows that one write changes, at the most, where nobody waits for all of them to change at once: others have their turn between. */
const rowsOfOneTurn = 100;

/** Sessions in their table, those of one space. */
export class SqliteSessionStore implements SessionStore {
  readonly #connection: StoreConnection;
  readonly #space: number;
  readonly #statements: SessionStatements;

  constructor(connection: StoreConnection, space: number) {
    this.#connection = connection;
    this.#space = space;
    this.#statements = prepareSessionStatements(connection.database);
  }

  insert(session: Session): Stored<void> {
    const { issuer } = session;
    const { value, format, nameQualifier, spNameQualifier } = session.nameId ?? noNameId;
    return this.#connection.write(() => {
      this.#statements.insert.run(
        this.#space,
        session.idHash,
        session.userId,
        value,
        format,
        nameQualifier,
        spNameQualifier,
        session.sessionIndex,
        issuer,
        subjectHash(issuer, value),
        JSON.stringify(session.attributes),
        session.createdMs,
        session.expiresMs,
        session.lastSeenMs,
      );
    });
  }

  find(idHash: string): Stored<Session | null> {
    return this.#connection.read(() => {
      const row = this.#statements.find.get(this.#space, idHash);
      return row === undefined ? null : sessionOf(row);
    });
  }

  async touch(seen: readonly { readonly idHash: string; readonly lastSeenMs: number }[]): Stored<void> {
    for (let begin = 0; begin < seen.length; begin += rowsOfOneTurn) {
      const touched = await this.#connection.write(() => {
        for (const { idHash, lastSeenMs } of seen.slice(begin, begin + rowsOfOneTurn))
          this.#statements.touch.run(lastSeenMs, this.#space, idHash, lastSeenMs);
      });
      if (!touched.ok) return touched;
    }
    return ok(undefined);
  }

  remove(idHash: string): Stored<boolean> {
    return this.#connection.write(() => this.#statements.remove.run(this.#space, idHash).changes > 0);
  }

  removeOfSubject({ issuer, nameId, sessionIndexes }: SubjectSessions): Stored<readonly string[]> {
    const { removeOfSubject, removeIndexesOfSubject } = this.#statements;
    const subject = [this.#space, subjectHash(issuer, nameId), issuer, nameId] as const;
    return this.#connection.write(() =>
      sessionIndexes.length === 0
        ? removeOfSubject.all(...subject)
        : removeIndexesOfSubject.all(...subject, JSON.stringify(sessionIndexes)),
    );
  }

  removeOfUser(userId: string): Stored<readonly string[]> {
    return this.#connection.write(() => this.#statements.removeOfUser.all(this.#space, userId));
  }

  async list(query: {
    readonly userId: string | null;
    readonly limit: number;
    readonly after: string | null;
  }): Stored<SessionPage> {
    const { userId, limit, after } = query;
    const place = after === null ? listBegin : pagePlace(after);
    if (place === null) return err({ reason: 'the place in the list is none that was given' });
    const { list, listOfUser } = this.#statements;
    return this.#connection.read(() => {
      // One more than is asked for tells whether this is the last page.
      const range = [place.createdMs, place.id, limit + 1] as const;
      const rows = userId === null ? list.all(this.#space, ...range) : listOfUser.all(this.#space, userId, ...range);
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return {
        sessions: shown.map(sessionOf),
        next: last === undefined ? null : pageToken({ createdMs: last.created_ms, id: last.id }),
      };
    });
  }

  findByPrefix(hashPrefix: string, limit: number): Stored<readonly Session[]> {
    const end = `${hashPrefix}${afterDigits}`;
    return this.#connection.read(() =>
      this.#statements.findByPrefix.all(this.#space, hashPrefix, end, limit).map(sessionOf),
    );
  }

  async removeExpired(nowMs: number, seenBeforeMs: number | null, limit: number): Stored<number> {
    for (let removed = 0; ; ) {
      const few = Math.min(rowsOfOneTurn, limit - removed);
      const result = await this.#connection.write(() => this.#removeFew(nowMs, seenBeforeMs, few));
      if (!result.ok) return result;
      removed += result.value;
      if (result.value < few || removed >= limit) return ok(removed);
    }
  }

  count(): Stored<number> {
    return this.#connection.read(() => this.#statements.count.get(this.#space) ?? 0);
  }

  #removeFew(nowMs: number, seenBeforeMs: number | null, limit: number): number {
    const { removeExpired, removeIdle } = this.#statements;
    const removed = removeExpired.run(this.#space, nowMs, limit).changes;
    if (seenBeforeMs === null || removed >= limit) return removed;
    return removed + removeIdle.run(this.#space, seenBeforeMs, limit - removed).changes;
  }
}
