import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stored } from '../../../application/ports/agent/session-store.js';
import { err, ok } from '../../../domain/shared/result.js';
import { GroupCommit } from './group-commit.js';
import { explainFault, isBusy, isCorruption, LostFileError } from './sqlite-faults.js';
import type { Database } from './sqlite-module.js';
import { logOf } from './store-file.js';
import { busyPauseMs, lockTimeoutMs } from './waiting.js';

const closed = err({ reason: 'the session store is closed' });

const identityOf = (path: string): string | null => {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined ? null : `${facts.dev}:${facts.ino}`;
};

/** What the stores of one database share: reads at once, writes in groups, the end of both. */
export class StoreConnection {
  readonly database: Database;
  readonly #identity: string | null;
  readonly #logIdentity: string | null;
  readonly #writes: GroupCommit;
  #isCorrupt = false;
  #closing: Promise<void> | null = null;

  constructor(database: Database) {
    this.database = database;
    this.#identity = identityOf(database.name);
    this.#logIdentity = identityOf(logOf(database.name));
    this.#writes = new GroupCommit(database, {
      check: () => this.#check(),
      explain: (error) => this.#explain(error),
    });
  }

  async read<Value>(work: () => Value): Stored<Value> {
    const deadlineMs = performance.now() + lockTimeoutMs;
    while (this.#closing === null) {
      try {
        this.#check();
        return ok(work());
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadlineMs) return err({ reason: this.#explain(error) });
      }
      await pause(busyPauseMs);
    }
    return closed;
  }

  /** The work may be some statements; all of it is done or none. */
  async write<Value>(work: () => Value): Stored<Value> {
    return this.#closing === null ? this.#writes.write(work) : closed;
  }

  /** Whether the file has become another one or none, or was found to be damaged. */
  isLost(): boolean {
    return this.#isCorrupt || this.#isMoved();
  }

  /** Whether another file or none is in the place of ours, beside the log of ours: what is in that would be played into any. */
  hasLeftItsLog(): boolean {
    if (this.#logIdentity === null || !this.#isMoved()) return false;
    return this.#identityNow(logOf(this.database.name)) === this.#logIdentity;
  }

  /** Writes that wait come to their end first. */
  close(): Promise<void> {
    this.#closing ??= this.#writes.settled().then(() => this.#close());
    return this.#closing;
  }

  #check(): void {
    if (identityOf(this.database.name) !== this.#identity) throw new LostFileError();
  }

  #isMoved(): boolean {
    return this.#identityNow(this.database.name) !== this.#identity;
  }

  /** Null also where its folder cannot be looked into any more. */
  #identityNow(path: string): string | null {
    try {
      return identityOf(path);
    } catch {
      return null;
    }
  }

  #explain(error: unknown): string {
    this.#isCorrupt ||= isCorruption(error);
    return explainFault(error, this.database.name);
  }

  #close(): void {
    try {
      this.database.close();
    } catch {
      // What is committed is in the log, and found there by whoever opens the file next.
    }
  }
}
