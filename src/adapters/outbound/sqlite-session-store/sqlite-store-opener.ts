import { resolve } from 'node:path';
import type { SamlStoreOpener, SamlStores } from '../../../application/ports/saml-stores.js';
import type { SessionStoreOptions } from '../../../domain/configuration/saml-options.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { openDatabase } from './open-database.js';
import { spaceNamed } from './spaces.js';
import { explainFault } from './sqlite-faults.js';
import { SqliteReplayStore } from './sqlite-replay-store.js';
import { SqliteSessionStore } from './sqlite-session-store.js';
import { SqliteSignOnRequestStore } from './sqlite-sign-on-request-store.js';
import { StoreConnection } from './store-connection.js';

export interface SqliteStoreSettings {
  /** Requests that are kept for one namespace, at the most. */
  readonly requests: number;
  /** Whether a store that is missing is made. */
  readonly creates: boolean;
}

const defaultSettings: SqliteStoreSettings = { requests: 100_000, creates: true };

/**
 * Stores in one SQLite file, which only its owner can read. Several processes may use it at once, all of them on this machine. A
 * file that is missing is made, one that is damaged, of a later version or somebody else's is left as it is.
 */
export class SqliteStoreOpener implements SamlStoreOpener {
  readonly #settings: SqliteStoreSettings;

  constructor(settings: Partial<SqliteStoreSettings> = {}) {
    this.#settings = { ...defaultSettings, ...settings };
  }

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SamlStores, string>> {
    if (options.kind !== 'sqlite') return err(`a ${options.kind} session store is no SQLite file`);
    // Absolute, so that no name is one that means something else to SQLite, such as :memory:.
    const database = await openDatabase(resolve(options.path), this.#settings.creates);
    if (!database.ok) return database;
    const connection = new StoreConnection(database.value);
    const space = await spaceNamed(connection, namespace);
    const stores = space.ok ? this.#stores(connection, space.value) : err(space.error.reason);
    if (!stores.ok) await connection.close();
    return stores;
  }

  #stores(connection: StoreConnection, space: number): Result<SamlStores, string> {
    try {
      return ok({
        sessions: new SqliteSessionStore(connection, space),
        replays: new SqliteReplayStore(connection, space),
        requests: new SqliteSignOnRequestStore(connection, space, this.#settings.requests),
        close: () => connection.close(),
      });
    } catch (error) {
      // To prepare a statement is to read the schema, which may be damaged.
      return err(explainFault(error, connection.database.name));
    }
  }
}
