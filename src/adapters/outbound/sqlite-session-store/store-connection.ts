import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stored } from '../../../application/ports/session-store.js';
import { err, ok } from '../../../domain/shared/result.js';
import { GroupCommit } from './group-commit.js';
import { explainFault, isBusy, LostFileError } from './sqlite-faults.js';
import type { Database } from './sqlite-module.js';
import { busyPauseMs, patienceMs } from './waiting.js';

const closed = err({ reason: 'the session store is closed' });

const identityOf = (path: string): string | null => {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined ? null : `${facts.dev}:${facts.ino}`;
};

/** What the stores of one database share: reads at once, writes in groups, the end of both. */
export class StoreConnection {
  readonly database: Database;
  readonly #identity: string | null;
  readonly #writes: GroupCommit;
  #closing: Promise<void> | null = null;

  constructor(database: Database) {
    this.database = database;
    this.#identity = identityOf(database.name);
    this.#writes = new GroupCommit(database, () => this.#check());
  }

  async read<Value>(work: () => Value): Stored<Value> {
    const deadlineMs = performance.now() + patienceMs;
    while (this.#closing === null) {
      try {
        this.#check();
        return ok(work());
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadlineMs)
          return err({ reason: explainFault(error, this.database.name) });
      }
      await pause(busyPauseMs);
    }
    return closed;
  }

  /** The work may be some statements; all of it is done or none. */
  async write<Value>(work: () => Value): Stored<Value> {
    return this.#closing === null ? this.#writes.write(work) : closed;
  }

  /** Writes that wait come to their end first. */
  close(): Promise<void> {
    this.#closing ??= this.#writes.settled().then(() => this.#close());
    return this.#closing;
  }

  #check(): void {
    if (identityOf(this.database.name) !== this.#identity) throw new LostFileError();
  }

  #close(): void {
    try {
      this.database.close();
    } catch {
      // What is committed is in the log, and found there by whoever opens the file next.
    }
  }
}
