import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReplayStore } from '../../../application/ports/agent/replay-store.js';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { SessionStoreOpener, SessionStores } from '../../../application/ports/agent/session-stores.js';
import type { SessionStoreOptions } from '../../../domain/agent/configuration/sessions-options.js';
import { maximumKeptForms } from '../../../domain/agent/sign-on/kept-form.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { addedColumns, addedIndexes, additions, applicationId, methodCounts, migrations } from './schema.js';
import { busyPauseMs, busyTimeoutMs, explainFault, isBusy, lockTimeoutMs } from './sqlite-faults.js';
import { SqliteKeptFormStore } from './sqlite-kept-form-store.js';
import { type Database, loadSqlite, type SqliteModule } from './sqlite-module.js';
import { SqliteSessionStore } from './sqlite-session-store.js';
import { SqliteSignOnRequestStore } from './sqlite-sign-on-request-store.js';
import { StoreConnection } from './store-connection.js';
import { checkStoreFile, explainStoreFileError, narrowStoreFiles, storeFileMode } from './store-file.js';

const versionOf = (database: Database): number => Number(database.pragma('user_version', { simple: true }));

/** The store has a later version than this program supports. */
export class UnknownVersionError extends Error {
  constructor(path: string, version: number, known: number) {
    super(
      `${path} was written by a later version (schema ${version}; this version supports ${known}): ` +
        'run that version, or set another file',
    );
  }
}

/**
 * Migrates a database to the latest version, one transaction per step; a failed step keeps the
 * version before it. Throws SQLite errors or UnknownVersionError.
 */
export const migrate = (database: Database, steps: readonly string[] = migrations): void => {
  for (;;) {
    const found = versionOf(database);
    if (found > steps.length) throw new UnknownVersionError(database.name, found, steps.length);
    if (found === steps.length) return;
    database
      .transaction(() => {
        // Another process may have migrated already.
        const version = versionOf(database);
        const step = steps[version];
        if (step === undefined) return;
        database.exec(step);
        database.pragma(`user_version = ${version + 1}`);
      })
      .immediate();
  }
};

/** Creates missing schema additions. Safe with concurrent processes. */
export const makeAdditions = (database: Database): void => {
  database
    .transaction(() => {
      database.exec(additions);
      const present = new Set(
        database.prepare<[], string>("SELECT name FROM pragma_table_info('sessions')").pluck().all(),
      );
      for (const { name, definition } of addedColumns) {
        if (!present.has(name)) database.exec(`ALTER TABLE sessions ADD COLUMN ${name} ${definition}`);
      }
      database.exec(addedIndexes);
      const counts = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?");
      if (counts.get(methodCounts.table) === undefined) database.exec(methodCounts.creation);
    })
    .immediate();
};

const folderMode = 0o700;

const linkUnlessExists = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
};

const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

/**
 * Creates an empty store and its folder. The file is built under another name and then linked, so
 * it never appears incomplete; if another process was faster, its store stays. Throws file system
 * or SQLite errors.
 */
const createStore = (sqlite: SqliteModule, path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  const draft = `${path}.new-${randomBytes(6).toString('hex')}`;
  try {
    closeSync(openSync(draft, 'wx', storeFileMode));
    const database = new sqlite(draft, { fileMustExist: true });
    try {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
      database.pragma(`application_id = ${applicationId}`);
      migrate(database);
      makeAdditions(database);
    } finally {
      database.close();
    }
    linkUnlessExists(draft, path);
    syncFolder(dirname(path));
  } finally {
    for (const file of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true });
  }
};

/** Size of the write-ahead log kept after a restart of it, in octets. */
const maxKeptLogOctets = 64 * 1024 * 1024;

/** A problem of a store, as one clause. */
class StoreFileError extends Error {}

const configure = (database: Database): void => {
  const { name: path } = database;
  if (database.pragma('application_id', { simple: true }) !== applicationId)
    throw new StoreFileError(`${path} is a database of another program: set another file`);
  narrowStoreFiles(path);
  database.pragma('trusted_schema = OFF');
  database.pragma('cell_size_check = ON');
  if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
    throw new StoreFileError(`the file system of ${path} does not support a session store: use a local file system`);
  // Survives a system crash, not only a process crash: acknowledged data is on disk.
  database.pragma('synchronous = FULL');
  database.pragma(`journal_size_limit = ${maxKeptLogOctets}`);
  database.pragma('foreign_keys = ON');
  migrate(database);
  makeAdditions(database);
  // Files created just now inherit the previous mode.
  narrowStoreFiles(path);
};

const openOnce = (sqlite: SqliteModule, path: string): Database => {
  const database = new sqlite(path, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    configure(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const explain = (error: unknown, path: string): string => {
  if (error instanceof StoreFileError || error instanceof UnknownVersionError) return error.message;
  if (error instanceof Error && 'syscall' in error) return explainStoreFileError(error, path);
  return explainFault(error, path);
};

/**
 * Opens the database of a store, and creates it if `creates` is set and it is missing. Never
 * replaces a file. The error is one clause with the file and the remedy.
 */
export const openDatabase = async (path: string, creates: boolean): Promise<Result<Database, string>> => {
  const sqlite = await loadSqlite();
  if (!sqlite.ok) return sqlite;
  const deadlineMs = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      const presence = checkStoreFile(path);
      if (!presence.ok) return presence;
      if (presence.value === 'absent' && !creates) return err(`there is no session store at ${path}`);
      if (presence.value === 'absent') createStore(sqlite.value, path);
      return ok(openOnce(sqlite.value, path));
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadlineMs) return err(explain(error, path));
    }
    await pause(busyPauseMs);
  }
};

/** All SQL statements on message ids. */
export const replayStatements = {
  has: 'SELECT 1 FROM replays WHERE space = ? AND message = ? AND until_ms > ?',
  remember: `INSERT INTO replays (space, message, until_ms) VALUES (?, ?, ?)
    ON CONFLICT (space, message) DO UPDATE SET until_ms = excluded.until_ms WHERE replays.until_ms <= ?`,
  removeExpired: `DELETE FROM replays WHERE space = ? AND message IN
    (SELECT message FROM replays WHERE space = ? AND until_ms <= ? ORDER BY until_ms LIMIT ?)`,
} as const;

const prepare = (database: Database) => ({
  has: database.prepare<[number, string, number], number>(replayStatements.has).pluck(),
  remember: database.prepare<[number, string, number, number]>(replayStatements.remember),
  removeExpired: database.prepare<[number, number, number, number]>(replayStatements.removeExpired),
});

/** Message ids in their table. One statement checks and records, so exactly one caller is first. */
class SqliteReplayStore implements ReplayStore {
  readonly #connection: StoreConnection;
  readonly #space: number;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(connection: StoreConnection, space: number) {
    this.#connection = connection;
    this.#space = space;
    this.#statements = prepare(connection.database);
  }

  has(key: string, nowMs: number): Stored<boolean> {
    return this.#connection.read(() => this.#statements.has.get(this.#space, key, nowMs) !== undefined);
  }

  remember(key: string, untilMs: number, nowMs: number): Stored<'first' | 'seen'> {
    // Times of tokens may be fractions, which the column refuses. Later is safe.
    const wholeMs = Math.ceil(untilMs);
    return this.#connection.write(() =>
      this.#statements.remember.run(this.#space, key, wholeMs, nowMs).changes > 0 ? 'first' : 'seen',
    );
  }

  removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#connection.write(
      () => this.#statements.removeExpired.run(this.#space, this.#space, nowMs, limit).changes,
    );
  }
}

/** The number of a space; creates it if missing. */
const spaceNamed = (connection: StoreConnection, name: string): Stored<number> => {
  const { database } = connection;
  return connection.write(() => {
    database.prepare<[string]>('INSERT INTO spaces (name) VALUES (?) ON CONFLICT (name) DO NOTHING').run(name);
    const space = database.prepare<[string], number>('SELECT id FROM spaces WHERE name = ?').pluck().get(name);
    if (space === undefined) throw new RangeError('the space is missing');
    return space;
  });
};

export interface SqliteStoreOptions {
  /** Maximum requests per namespace. */
  readonly requests: number;
  /** Maximum kept forms per namespace. */
  readonly forms: number;
  /** Whether a missing store is created. */
  readonly creates: boolean;
}

const recovery = 'restore the file, or stop all processes that use it and remove the -wal and -shm files';

const defaultSettings: SqliteStoreOptions = { requests: 100_000, forms: maximumKeptForms, creates: true };

/**
 * Stores in one SQLite file with owner-only permissions. Several processes of one host may share
 * it. A missing file is created; a damaged, newer or foreign one is left unchanged.
 */
export class SqliteStoreOpener implements SessionStoreOpener {
  readonly #settings: SqliteStoreOptions;
  /** Open stores. */
  readonly #open = new Set<StoreConnection>();

  constructor(settings: Partial<SqliteStoreOptions> = {}) {
    this.#settings = { ...defaultSettings, ...settings };
  }

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SessionStores, string>> {
    if (options.kind !== 'sqlite') return err(`a ${options.kind} session store is not a SQLite file`);
    // Absolute, so that no path has a special meaning for SQLite, such as :memory:.
    const path = resolve(options.path);
    const hasLeftLog = [...this.#open].some((other) => other.database.name === path && other.hasLeftItsLog());
    if (hasLeftLog)
      return err(`${path} was removed or replaced while in use, and ${path}-wal belongs to the old file: ${recovery}`);
    const database = await openDatabase(path, this.#settings.creates);
    if (!database.ok) return database;
    const connection = new StoreConnection(database.value);
    this.#open.add(connection);
    const space = await spaceNamed(connection, namespace);
    // Preparing a statement reads the schema, which may be damaged or locked.
    const stores = space.ok ? await connection.read(() => this.#stores(connection, space.value)) : space;
    if (stores.ok) return stores;
    await this.#close(connection);
    return err(stores.error.reason);
  }

  async #close(connection: StoreConnection): Promise<void> {
    await connection.close();
    this.#open.delete(connection);
  }

  #stores(connection: StoreConnection, space: number): SessionStores {
    return {
      sessions: new SqliteSessionStore(connection, space),
      replays: new SqliteReplayStore(connection, space),
      requests: new SqliteSignOnRequestStore(connection, space, this.#settings.requests),
      forms: new SqliteKeptFormStore(connection, space, this.#settings.forms),
      isLost: () => connection.isLost(),
      close: () => this.#close(connection),
    };
  }
}
