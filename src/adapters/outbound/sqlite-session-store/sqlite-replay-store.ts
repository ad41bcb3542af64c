import type { ReplayStore } from '../../../application/ports/agent/replay-store.js';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import type { Database } from './sqlite-module.js';
import type { StoreConnection } from './store-connection.js';

/** Every statement on the ids of messages. */
export const replayStatements = {
  remember: `INSERT INTO replays (space, message, until_ms) VALUES (?, ?, ?)
    ON CONFLICT (space, message) DO UPDATE SET until_ms = excluded.until_ms WHERE replays.until_ms <= ?`,
  removeExpired: `DELETE FROM replays WHERE space = ? AND message IN
    (SELECT message FROM replays WHERE space = ? AND until_ms <= ? ORDER BY until_ms LIMIT ?)`,
} as const;

const prepare = (database: Database) => ({
  remember: database.prepare<[number, string, number, number]>(replayStatements.remember),
  removeExpired: database.prepare<[number, number, number, number]>(replayStatements.removeExpired),
});

/** Ids of messages in their table. One statement looks and remembers, so that no two callers are both the first. */
export class SqliteReplayStore implements ReplayStore {
  readonly #connection: StoreConnection;
  readonly #space: number;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(connection: StoreConnection, space: number) {
    this.#connection = connection;
    this.#space = space;
    this.#statements = prepare(connection.database);
  }

  remember(key: string, untilMs: number, nowMs: number): Stored<'first' | 'seen'> {
    return this.#connection.write(() =>
      this.#statements.remember.run(this.#space, key, untilMs, nowMs).changes > 0 ? 'first' : 'seen',
    );
  }

  removeExpired(nowMs: number, limit: number): Stored<number> {
    return this.#connection.write(
      () => this.#statements.removeExpired.run(this.#space, this.#space, nowMs, limit).changes,
    );
  }
}
