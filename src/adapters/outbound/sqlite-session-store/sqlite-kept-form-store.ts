import type { KeptFormStore } from '../../../application/ports/agent/kept-form-store.js';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { KeptForm } from '../../../domain/agent/sign-on/kept-form.js';
import type { Database } from './sqlite-module.js';
import type { StoreConnection } from './store-connection.js';

interface FormRow {
  readonly handle_hash: string;
  readonly sealed: string;
  readonly created_ms: number;
  readonly expires_ms: number;
}

const columns = 'handle_hash, sealed, created_ms, expires_ms';

/** All SQL statements on kept forms. */
export const formStatements = {
  insertForm: `INSERT INTO kept_forms (space, ${columns}) VALUES (?, ?, ?, ?, ?)`,
  removeSurplusForms: `DELETE FROM kept_forms WHERE id IN
    (SELECT id FROM kept_forms WHERE space = ? ORDER BY created_ms DESC, id DESC LIMIT -1 OFFSET ?)`,
  findForm: `SELECT ${columns} FROM kept_forms WHERE space = ? AND handle_hash = ?`,
  takeForm: `DELETE FROM kept_forms WHERE space = ? AND handle_hash = ? RETURNING ${columns}`,
  removeExpiredForms: `DELETE FROM kept_forms WHERE id IN
    (SELECT id FROM kept_forms WHERE space = ? AND expires_ms <= ? ORDER BY expires_ms LIMIT ?)`,
} as const;

const prepare = (database: Database) => ({
  insert: database.prepare<[number, string, string, number, number]>(formStatements.insertForm),
  removeSurplus: database.prepare<[number, number]>(formStatements.removeSurplusForms),
  find: database.prepare<[number, string], FormRow>(formStatements.findForm),
  take: database.prepare<[number, string], FormRow>(formStatements.takeForm),
  removeExpired: database.prepare<[number, number, number]>(formStatements.removeExpiredForms),
});

/** Null if absent or expired. */
const formOf = (row: FormRow | undefined, nowMs: number): KeptForm | null =>
  row === undefined || row.expires_ms <= nowMs
    ? null
    : { handleHash: row.handle_hash, sealed: row.sealed, createdMs: row.created_ms, expiresMs: row.expires_ms };

/** Kept forms in one table of at most `limit` rows: the oldest are deleted first. */
export class SqliteKeptFormStore implements KeptFormStore {
  readonly #connection: StoreConnection;
  readonly #space: number;
  readonly #limit: number;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(connection: StoreConnection, space: number, limit: number) {
    this.#connection = connection;
    this.#space = space;
    this.#limit = limit;
    this.#statements = prepare(connection.database);
  }

  insert({ handleHash, sealed, createdMs, expiresMs }: KeptForm): Stored<void> {
    return this.#connection.write(() => {
      this.#statements.insert.run(this.#space, handleHash, sealed, createdMs, expiresMs);
      this.#statements.removeSurplus.run(this.#space, this.#limit);
    });
  }

  find(handleHash: string, nowMs: number): Stored<KeptForm | null> {
    return this.#connection.read(() => formOf(this.#statements.find.get(this.#space, handleHash), nowMs));
  }

  take(handleHash: string, nowMs: number): Stored<KeptForm | null> {
    return this.#connection.write(() => formOf(this.#statements.take.get(this.#space, handleHash), nowMs));
  }

  removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#connection.write(() => this.#statements.removeExpired.run(this.#space, nowMs, limit).changes);
  }
}
