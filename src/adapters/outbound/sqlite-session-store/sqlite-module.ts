import type Sqlite from 'better-sqlite3';
import { err, ok, type Result } from '../../../domain/shared/result.js';

export type Database = Sqlite.Database;
export type Statement<Parameters extends unknown[], Row = unknown> = Sqlite.Statement<Parameters, Row>;
export type SqliteModule = typeof Sqlite;

/**
 * Loads the native module when a store is opened: platforms without it can do everything else. npm
 * omits it if install scripts are blocked, and it fits one Node version.
 */
export const loadSqlite = async (): Promise<Result<SqliteModule, string>> => {
  try {
    const sqlite = (await import('better-sqlite3')).default;
    // The package loads its native code when the first database opens.
    new sqlite(':memory:').close();
    return ok(sqlite);
  } catch {
    return err(
      `the native code of better-sqlite3 cannot be loaded on ${process.platform} ${process.arch}, Node ${process.version}: ` +
        'run npm rebuild better-sqlite3 --ignore-scripts=false where the program is installed',
    );
  }
};
