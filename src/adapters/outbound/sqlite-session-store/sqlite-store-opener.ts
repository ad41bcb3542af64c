import { resolve } from 'node:path';
import type { SamlStoreOpener, SamlStores } from '../../../application/ports/agent/saml-stores.js';
import type { SessionStoreOptions } from '../../../domain/agent/configuration/saml-options.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { openDatabase } from './open-database.js';
import { spaceNamed } from './spaces.js';
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

const wayOut = 'put it back, or stop what uses it and remove that and the -shm file';

const defaultSettings: SqliteStoreSettings = { requests: 100_000, creates: true };

/**
 * Stores in one SQLite file, which only its owner can read. Several processes may use it at once, all of them on this machine. A
 * file that is missing is made, one that is damaged, of a later version or somebody else's is left as it is.
 */
export class SqliteStoreOpener implements SamlStoreOpener {
  readonly #settings: SqliteStoreSettings;
  /** Those that are not closed yet. */
  readonly #open = new Set<StoreConnection>();

  constructor(settings: Partial<SqliteStoreSettings> = {}) {
    this.#settings = { ...defaultSettings, ...settings };
  }

  async open(options: SessionStoreOptions, namespace: string): Promise<Result<SamlStores, string>> {
    if (options.kind !== 'sqlite') return err(`a ${options.kind} session store is no SQLite file`);
    // Absolute, so that no name is one that means something else to SQLite, such as :memory:.
    const path = resolve(options.path);
    const leftLog = [...this.#open].some((other) => other.database.name === path && other.hasLeftItsLog());
    if (leftLog)
      return err(
        `${path} was removed or replaced while it is in use, and ${path}-wal belongs to what was there: ${wayOut}`,
      );
    const database = await openDatabase(path, this.#settings.creates);
    if (!database.ok) return database;
    const connection = new StoreConnection(database.value);
    this.#open.add(connection);
    const space = await spaceNamed(connection, namespace);
    // To prepare a statement is to read the schema, which may be damaged, or locked for a moment.
    const stores = space.ok ? await connection.read(() => this.#stores(connection, space.value)) : space;
    if (stores.ok) return stores;
    await this.#close(connection);
    return err(stores.error.reason);
  }

  async #close(connection: StoreConnection): Promise<void> {
    await connection.close();
    this.#open.delete(connection);
  }

  #stores(connection: StoreConnection, space: number): SamlStores {
    return {
      sessions: new SqliteSessionStore(connection, space),
      replays: new SqliteReplayStore(connection, space),
      requests: new SqliteSignOnRequestStore(connection, space, this.#settings.requests),
      isLost: () => connection.isLost(),
      close: () => this.#close(connection),
    };
  }
}
