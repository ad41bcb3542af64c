import Sqlite from 'better-sqlite3';
import { SqliteStoreOpener } from '../../../src/adapters/outbound/sqlite-session-store/sqlite-store-opener.js';
import type { SessionStores } from '../../../src/application/ports/agent/session-stores.js';
import type { Result } from '../../../src/domain/shared/result.js';
import { succeeded, testSession } from './test-sessions.js';

export const openSqlite = (path: string, namespace = 'sp'): Promise<Result<SessionStores, string>> =>
  new SqliteStoreOpener().open({ kind: 'sqlite', path }, namespace);

/** Why a path cannot be opened; throws where it can. */
export const refusalOf = async (path: string): Promise<string> => {
  const opened = await openSqlite(path);
  if (opened.ok) {
    await opened.value.close();
    throw new Error(`${path} was opened`);
  }
  return opened.error;
};

/** The name of the session `n0`, `n1` ... that a store is filled with. */
export const nthName = (index: number): string => `n${index}`;

/** Makes a store with so many sessions and closes it: all of it is in the one file then. */
export const filledStore = async (path: string, sessions: number): Promise<void> => {
  const stores = await succeeded(openSqlite(path));
  await Promise.all(
    Array.from({ length: sessions }, (_, index) => succeeded(stores.sessions.insert(testSession(nthName(index))))),
  );
  await stores.close();
};

/** Does something to a file by SQLite itself, as another program would. */
export const bySqlite = <Value>(path: string, work: (database: Sqlite.Database) => Value): Value => {
  const database = new Sqlite(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
};
