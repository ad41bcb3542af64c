import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { SignOnRequestStore } from '../../../application/ports/agent/sign-on-request-store.js';
import type { SignOnRequest } from '../../../domain/agent/sign-on/sign-on-request.js';
import type { Database } from './sqlite-module.js';
import type { StoreConnection } from './store-connection.js';

interface RequestRow {
  readonly handle_hash: string;
  readonly kind: SignOnRequest['kind'];
  readonly request_id: string;
  readonly binding_hash: string | null;
  readonly return_to: string;
  readonly created_ms: number;
  readonly expires_ms: number;
}

/** All SQL statements on requests. */
export const requestStatements = {
  insert: `INSERT INTO requests (space, handle_hash, kind, request_id, binding_hash, return_to, created_ms, expires_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  count: 'SELECT requests FROM spaces WHERE id = ?',
  removeOldest: `DELETE FROM requests WHERE id IN
    (SELECT id FROM requests WHERE space = ? ORDER BY created_ms, id LIMIT ?)`,
  find: `SELECT handle_hash, kind, request_id, binding_hash, return_to, created_ms, expires_ms FROM requests
    WHERE space = ? AND handle_hash = ?`,
  take: `DELETE FROM requests WHERE space = ? AND handle_hash = ?
    RETURNING handle_hash, kind, request_id, binding_hash, return_to, created_ms, expires_ms`,
  removeExpired: `DELETE FROM requests WHERE id IN
    (SELECT id FROM requests WHERE space = ? AND expires_ms <= ? ORDER BY expires_ms LIMIT ?)`,
} as const;

const answeredColumns = `handle_hash, 'answered' AS kind, request_id, binding_hash, return_to, created_ms, expires_ms`;

/** All SQL statements on answered requests. */
export const answeredStatements = {
  insert: `INSERT INTO answered_requests (space, handle_hash, request_id, binding_hash, return_to, created_ms, expires_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  removeOldest: 'DELETE FROM answered_requests WHERE id <= ?',
  find: `SELECT ${answeredColumns} FROM answered_requests WHERE space = ? AND handle_hash = ?`,
  take: `DELETE FROM answered_requests WHERE space = ? AND handle_hash = ? RETURNING ${answeredColumns}`,
  removeExpired: `DELETE FROM answered_requests WHERE id IN
    (SELECT id FROM answered_requests WHERE space = ? AND expires_ms <= ? ORDER BY expires_ms LIMIT ?)`,
} as const;

type Columns = [string, string, string, string | null, string, number, number];

const prepare = (database: Database) => ({
  insert: database.prepare<[number, ...Columns]>(requestStatements.insert),
  count: database.prepare<[number], number>(requestStatements.count).pluck(),
  removeOldest: database.prepare<[number, number]>(requestStatements.removeOldest),
  find: database.prepare<[number, string], RequestRow>(requestStatements.find),
  take: database.prepare<[number, string], RequestRow>(requestStatements.take),
  removeExpired: database.prepare<[number, number, number]>(requestStatements.removeExpired),
});

const prepareAnswered = (database: Database) => ({
  insert: database.prepare<[number, string, string, string | null, string, number, number]>(answeredStatements.insert),
  removeOldest: database.prepare<[number]>(answeredStatements.removeOldest),
  find: database.prepare<[number, string], RequestRow>(answeredStatements.find),
  take: database.prepare<[number, string], RequestRow>(answeredStatements.take),
  removeExpired: database.prepare<[number, number, number]>(answeredStatements.removeExpired),
});

/** Null if absent or expired. */
const requestOf = (row: RequestRow | undefined, nowMs: number): SignOnRequest | null => {
  if (row === undefined || row.expires_ms <= nowMs) return null;
  return {
    handleHash: row.handle_hash,
    kind: row.kind,
    requestId: row.request_id,
    bindingHash: row.binding_hash,
    returnTo: row.return_to,
    createdMs: row.created_ms,
    expiresMs: row.expires_ms,
  };
};

/**
 * Pending requests in one table, answered requests in another. Each holds at most `limit` rows: the
 * oldest are deleted first.
 */
export class SqliteSignOnRequestStore implements SignOnRequestStore {
  readonly #connection: StoreConnection;
  readonly #space: number;
  readonly #limit: number;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #answered: ReturnType<typeof prepareAnswered>;

  constructor(connection: StoreConnection, space: number, limit: number) {
    this.#connection = connection;
    this.#space = space;
    this.#limit = limit;
    this.#statements = prepare(connection.database);
    this.#answered = prepareAnswered(connection.database);
  }

  insert(request: SignOnRequest): Stored<void> {
    const { insert, count, removeOldest } = this.#statements;
    if (request.kind === 'answered') return this.#insertAnswered(request);
    return this.#connection.write(() => {
      const { handleHash, kind, requestId, bindingHash, returnTo, createdMs, expiresMs } = request;
      const surplus = (count.get(this.#space) ?? 0) + 1 - this.#limit;
      if (surplus > 0) removeOldest.run(this.#space, surplus);
      insert.run(this.#space, handleHash, kind, requestId, bindingHash, returnTo, createdMs, expiresMs);
    });
  }

  find(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    const key = [this.#space, handleHash] as const;
    return this.#connection.read(() =>
      requestOf(this.#statements.find.get(...key) ?? this.#answered.find.get(...key), nowMs),
    );
  }

  take(handleHash: string, nowMs: number): Stored<SignOnRequest | null> {
    const key = [this.#space, handleHash] as const;
    return this.#connection.write(() =>
      requestOf(this.#statements.take.get(...key) ?? this.#answered.take.get(...key), nowMs),
    );
  }

  removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#connection.write(() => {
      const { changes } = this.#statements.removeExpired.run(this.#space, nowMs, limit);
      return changes + this.#answered.removeExpired.run(this.#space, nowMs, limit - changes).changes;
    });
  }

  #insertAnswered(request: SignOnRequest): Stored<void> {
    const { insert, removeOldest } = this.#answered;
    return this.#connection.write(() => {
      const { handleHash, requestId, bindingHash, returnTo, createdMs, expiresMs } = request;
      const inserted = insert.run(this.#space, handleHash, requestId, bindingHash, returnTo, createdMs, expiresMs);
      removeOldest.run(Number(inserted.lastInsertRowid) - this.#limit);
    });
  }
}
