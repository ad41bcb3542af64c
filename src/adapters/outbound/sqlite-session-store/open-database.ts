import { setTimeout as pause } from 'node:timers/promises';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { createStore } from './create-store.js';
import { migrate, UnknownVersionError } from './migrate.js';
import { additions, applicationId } from './schema.js';
import { explainFault, isBusy } from './sqlite-faults.js';
import { type Database, loadSqlite, type SqliteModule } from './sqlite-module.js';
import { explainStoreFileError, lookAtStoreFile, narrowStoreFiles } from './store-file.js';
import { busyPauseMs, busyTimeoutMs, lockTimeoutMs } from './waiting.js';

/** Octets that the write-ahead log keeps when it begins anew. */
const keptLogOctets = 64 * 1024 * 1024;

/** Something that is wrong with a store, said in one clause. */
class StoreFileError extends Error {}

const setUp = (database: Database): void => {
  const { name: path } = database;
  if (database.pragma('application_id', { simple: true }) !== applicationId)
    throw new StoreFileError(`${path} is a database of another program: name another file`);
  narrowStoreFiles(path);
  database.pragma('trusted_schema = OFF');
  database.pragma('cell_size_check = ON');
  if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
    throw new StoreFileError(`the file system of ${path} is not fit for a session store: it must be a local one`);
  // Of the system's crash too, not of the process's alone: what was answered is on the disk.
  database.pragma('synchronous = FULL');
  database.pragma(`journal_size_limit = ${keptLogOctets}`);
  database.pragma('foreign_keys = ON');
  migrate(database);
  database.exec(additions);
  // Those that were made just now have the mode that the file had before.
  narrowStoreFiles(path);
};

const openOnce = (sqlite: SqliteModule, path: string): Database => {
  const database = new sqlite(path, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    setUp(database);
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
 * Opens the database of a store, and makes it where there is none and `creates` says so. What is there is never replaced, whatever
 * is wrong with it. The error is one clause which names the file and says what to do.
 */
export const openDatabase = async (path: string, creates: boolean): Promise<Result<Database, string>> => {
  const sqlite = await loadSqlite();
  if (!sqlite.ok) return sqlite;
  const deadlineMs = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      const standing = lookAtStoreFile(path);
      if (!standing.ok) return standing;
      if (standing.value === 'absent' && !creates) return err(`there is no session store at ${path}`);
      if (standing.value === 'absent') createStore(sqlite.value, path);
      return ok(openOnce(sqlite.value, path));
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadlineMs) return err(explain(error, path));
    }
    await pause(busyPauseMs);
  }
};
