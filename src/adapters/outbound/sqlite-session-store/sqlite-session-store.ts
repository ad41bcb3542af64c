import type {
  EndedRefresh,
  LeaseOutcome,
  RefreshLease,
  SessionCounts,
  SessionPage,
  SessionStore,
  Stored,
  SubjectSessions,
} from '../../../application/ports/agent/session-store.js';
import type { Session } from '../../../domain/agent/sessions/session.js';
import { err, ok } from '../../../domain/shared/result.js';
import { type SessionRow, sessionColumns, sessionOf, subjectHash } from './session-row.js';
import type { Database, Statement } from './sqlite-module.js';
import type { StoreConnection } from './store-connection.js';

/** One page of a list. */
const page = (where: string): string =>
  `SELECT ${sessionColumns} FROM sessions WHERE ${where} AND (created_ms, id) < (?, ?)
   ORDER BY created_ms DESC, id DESC LIMIT ?`;

const removeLimited = (where: string, order: string): string =>
  `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE ${where} ORDER BY ${order} LIMIT ?)`;

/** All SQL statements on sessions. Each finds its rows by an index. */
export const sessionStatements = {
  insert: `INSERT INTO sessions (space, id_hash, user_id, name_id,
    session_index, issuer, method, details, subject_hash, attributes, created_ms, expires_ms, last_seen_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  find: `SELECT ${sessionColumns} FROM sessions WHERE space = ? AND id_hash = ?`,
  touch: 'UPDATE sessions SET last_seen_ms = ? WHERE space = ? AND id_hash = ? AND last_seen_ms < ?',
  takeRefreshLease: `UPDATE sessions SET refresh_holder = ?, refresh_held_until_ms = ?
    WHERE space = ? AND id_hash = ? AND refresh_held_until_ms <= ?`,
  isBackingOff: 'SELECT refresh_holder IS NULL FROM sessions WHERE space = ? AND id_hash = ?',
  endRefresh: `UPDATE sessions SET refresh_holder = NULL, refresh_held_until_ms = ?, details = coalesce(?, details)
    WHERE space = ? AND id_hash = ? AND refresh_holder = ?`,
  remove: 'DELETE FROM sessions WHERE space = ? AND id_hash = ?',
  removeOfSubject: `DELETE FROM sessions WHERE space = ? AND subject_hash = ? AND method = ? AND issuer = ?
    AND name_id = ? RETURNING id_hash`,
  removeIndexesOfSubject: `DELETE FROM sessions WHERE space = ? AND subject_hash = ? AND method = ? AND issuer = ?
    AND name_id = ? AND session_index IN (SELECT value FROM json_each(?)) RETURNING id_hash`,
  removeNamed: `DELETE FROM sessions WHERE space = ? AND method = 'oidc' AND issuer = ?
    AND session_index IN (SELECT value FROM json_each(?)) RETURNING id_hash`,
  removeOfUser: 'DELETE FROM sessions WHERE space = ? AND user_id = ? RETURNING id_hash',
  list: page('space = ?'),
  listOfUser: page('space = ? AND user_id = ?'),
  findByPrefix: `SELECT ${sessionColumns} FROM sessions WHERE space = ? AND id_hash >= ? AND id_hash < ?
    ORDER BY id_hash LIMIT ?`,
  removeExpired: removeLimited('space = ? AND expires_ms <= ?', 'expires_ms'),
  removeIdle: removeLimited('space = ? AND last_seen_ms < ?', 'last_seen_ms'),
  count: 'SELECT sessions FROM spaces WHERE id = ?',
  countByMethod: 'SELECT method, sessions FROM session_counts WHERE space = ?',
} as const;

type Text = string | null;
type Columns = [string, string, string, Text, string, string, string, Uint8Array, string, number, number, number];

/**
 * The statements, prepared for one database. The first parameter is the space; updates have their
 * new values before it.
 */
interface SessionStatements {
  readonly insert: Statement<[number, ...Columns]>;
  readonly find: Statement<[number, string], SessionRow>;
  readonly touch: Statement<[number, number, string, number]>;
  readonly takeRefreshLease: Statement<[string, number, number, string, number]>;
  readonly isBackingOff: Statement<[number, string], number>;
  readonly endRefresh: Statement<[number, Text, number, string, string]>;
  readonly remove: Statement<[number, string]>;
  readonly removeOfSubject: Statement<[number, Uint8Array, string, string, string], string>;
  readonly removeIndexesOfSubject: Statement<[number, Uint8Array, string, string, string, string], string>;
  readonly removeNamed: Statement<[number, string, string], string>;
  readonly removeOfUser: Statement<[number, string], string>;
  readonly list: Statement<[number, number, number, number], SessionRow>;
  readonly listOfUser: Statement<[number, string, number, number, number], SessionRow>;
  readonly findByPrefix: Statement<[number, string, string, number], SessionRow>;
  readonly removeExpired: Statement<[number, number, number]>;
  readonly removeIdle: Statement<[number, number, number]>;
  readonly count: Statement<[number], number>;
  readonly countByMethod: Statement<[number], { readonly method: string; readonly sessions: number }>;
}

const prepareSessionStatements = (database: Database): SessionStatements => ({
  insert: database.prepare(sessionStatements.insert),
  find: database.prepare(sessionStatements.find),
  touch: database.prepare(sessionStatements.touch),
  takeRefreshLease: database.prepare(sessionStatements.takeRefreshLease),
  isBackingOff: database.prepare<[number, string], number>(sessionStatements.isBackingOff).pluck(),
  endRefresh: database.prepare(sessionStatements.endRefresh),
  remove: database.prepare(sessionStatements.remove),
  removeOfSubject: database
    .prepare<[number, Uint8Array, string, string, string], string>(sessionStatements.removeOfSubject)
    .pluck(),
  removeIndexesOfSubject: database
    .prepare<[number, Uint8Array, string, string, string, string], string>(sessionStatements.removeIndexesOfSubject)
    .pluck(),
  removeNamed: database.prepare<[number, string, string], string>(sessionStatements.removeNamed).pluck(),
  removeOfUser: database.prepare<[number, string], string>(sessionStatements.removeOfUser).pluck(),
  list: database.prepare(sessionStatements.list),
  listOfUser: database.prepare(sessionStatements.listOfUser),
  findByPrefix: database.prepare(sessionStatements.findByPrefix),
  removeExpired: database.prepare(sessionStatements.removeExpired),
  removeIdle: database.prepare(sessionStatements.removeIdle),
  count: database.prepare<[number], number>(sessionStatements.count).pluck(),
  countByMethod: database.prepare(sessionStatements.countByMethod),
});

/** Position of a list page: creation time and row of its last session. */
interface PagePosition {
  readonly createdMs: number;
  readonly id: number;
}

const token = /^([0-9]{1,15}):([0-9]{1,15})$/;

/** Position before the first session. */
const listBegin: PagePosition = { createdMs: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

const pageToken = ({ createdMs, id }: PagePosition): string => `${createdMs}:${id}`;

/** Null if the cursor is invalid. */
const readPageToken = (text: string): PagePosition | null => {
  const match = token.exec(text);
  return match === null ? null : { createdMs: Number(match[1]), id: Number(match[2]) };
};

/** After every hexadecimal digit. */
const afterDigits = 'g';

/** Maximum rows per write of a non-atomic batch, so that other writes can interleave. */
const maxRowsPerWrite = 100;

/** The sessions of one space in their table. */
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
    const { provider, logout } = session;
    const subject = logout?.subject ?? '';
    return this.#connection.write(() => {
      this.#statements.insert.run(
        this.#space,
        session.idHash,
        session.userId,
        subject,
        logout?.session ?? null,
        provider,
        session.method,
        JSON.stringify(session.details),
        subjectHash(provider, subject),
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
    for (let begin = 0; begin < seen.length; begin += maxRowsPerWrite) {
      const touched = await this.#connection.write(() => {
        for (const { idHash, lastSeenMs } of seen.slice(begin, begin + maxRowsPerWrite))
          this.#statements.touch.run(lastSeenMs, this.#space, idHash, lastSeenMs);
      });
      if (!touched.ok) return touched;
    }
    return ok(undefined);
  }

  takeRefreshLease({ idHash, holder, untilMs, nowMs }: RefreshLease): Stored<LeaseOutcome> {
    const { takeRefreshLease, isBackingOff } = this.#statements;
    return this.#connection.write(() => {
      if (takeRefreshLease.run(holder, untilMs, this.#space, idHash, nowMs).changes > 0) return 'leased';
      const backingOff = isBackingOff.get(this.#space, idHash);
      if (backingOff === undefined) return 'gone';
      return backingOff === 1 ? 'backing_off' : 'held';
    });
  }

  endRefresh({ idHash, holder, details, backoffUntilMs }: EndedRefresh): Stored<boolean> {
    const text = details === null ? null : JSON.stringify(details);
    return this.#connection.write(
      () => this.#statements.endRefresh.run(backoffUntilMs, text, this.#space, idHash, holder).changes > 0,
    );
  }

  remove(idHash: string): Stored<boolean> {
    return this.#connection.write(() => this.#statements.remove.run(this.#space, idHash).changes > 0);
  }

  removeOfSubject({ method, provider, subject, sessionIndexes }: SubjectSessions): Stored<readonly string[]> {
    const { removeOfSubject, removeIndexesOfSubject, removeNamed } = this.#statements;
    const names = JSON.stringify(sessionIndexes);
    if (subject === null) return this.#connection.write(() => removeNamed.all(this.#space, provider, names));
    const key = [this.#space, subjectHash(provider, subject), method, provider, subject] as const;
    return this.#connection.write(() =>
      sessionIndexes.length === 0 ? removeOfSubject.all(...key) : removeIndexesOfSubject.all(...key, names),
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
    const position = after === null ? listBegin : readPageToken(after);
    if (position === null) return err({ reason: 'invalid page token' });
    const { list, listOfUser } = this.#statements;
    return this.#connection.read(() => {
      // One extra row shows whether another page follows.
      const range = [position.createdMs, position.id, limit + 1] as const;
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
      const batch = Math.min(maxRowsPerWrite, limit - removed);
      const result = await this.#connection.write(() => this.#removeLimited(nowMs, seenBeforeMs, batch));
      if (!result.ok) return result;
      removed += result.value;
      if (result.value < batch || removed >= limit) return ok(removed);
    }
  }

  count(): Stored<number> {
    return this.#connection.read(() => this.#statements.count.get(this.#space) ?? 0);
  }

  countByMethod(): Stored<SessionCounts> {
    return this.#connection.read(() => {
      const counts = new Map(
        this.#statements.countByMethod.all(this.#space).map(({ method, sessions }) => [method, sessions]),
      );
      return { saml: counts.get('saml') ?? 0, oidc: counts.get('oidc') ?? 0 };
    });
  }

  #removeLimited(nowMs: number, seenBeforeMs: number | null, limit: number): number {
    const { removeExpired, removeIdle } = this.#statements;
    const removed = removeExpired.run(this.#space, nowMs, limit).changes;
    if (seenBeforeMs === null || removed >= limit) return removed;
    return removed + removeIdle.run(this.#space, seenBeforeMs, limit - removed).changes;
  }
}
