import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stored, StoreFailure } from '../../../application/ports/agent/session-store.js';
import { err, ok } from '../../../domain/shared/result.js';
import { busyPauseMs, explainFault, isBusy, isCorruption, LostFileError, lockTimeoutMs } from './sqlite-faults.js';
import type { Database } from './sqlite-module.js';
import { logOf } from './store-file.js';

/** Writes that wait, at the most. */
const maximumQueue = 10_000;
/** Writes of one transaction, at the most: the thread does nothing else meanwhile. */
const maximumGroup = 500;

interface QueuedWrite {
  /** On the monotonic clock: after that, somebody else's lock is a failure. */
  readonly deadlineMs: number;
  /** Does the work, and gives what tells the caller of it once it is on the disk. Throws what SQLite throws. */
  attempt(): () => void;
  fail(failure: StoreFailure): void;
}

/** What watches over a database. */
interface DatabaseGuard {
  /** Throws where the database must not be used any more. */
  check(): void;
  /** Is told of every failure; gives one clause that says what is wrong. */
  explain(error: unknown): string;
}

/**
 * Writes to one database: those of one turn of the event loop go into one transaction, because to reach the disk costs the same
 * for one as for all of them. A caller hears of success once the transaction is on the disk; a write that fails takes no
 * other with it, unless the transaction itself fails.
 */
class GroupCommit {
  readonly #database: Database;
  readonly #guard: DatabaseGuard;
  readonly #queue: QueuedWrite[] = [];
  #isScheduled = false;
  #onIdle: (() => void) | null = null;

  constructor(database: Database, guard: DatabaseGuard) {
    this.#database = database;
    this.#guard = guard;
  }

  write<Value>(work: () => Value): Stored<Value> {
    if (this.#queue.length >= maximumQueue)
      return Promise.resolve(err({ reason: 'too many writes wait for the disk of the session store' }));
    return new Promise((resolve) => {
      this.#queue.push({
        deadlineMs: performance.now() + lockTimeoutMs,
        attempt() {
          const value = work();
          return () => resolve(ok(value));
        },
        fail: (failure) => resolve(err(failure)),
      });
      this.#schedule();
    });
  }

  /** Resolves once nothing waits. Nothing may be written after. */
  settled(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    if (!this.#begin()) return;
    const group = this.#queue.splice(0, maximumGroup);
    for (const settle of this.#commit(group)) settle();
    if (this.#queue.length > 0) this.#schedule();
    else this.#onIdle?.();
  }

  /** Whether a transaction has begun. Where it has not, whoever waits is told, or waits on. */
  #begin(): boolean {
    try {
      this.#guard.check();
      this.#database.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      const nowMs = performance.now();
      const isLost = ({ deadlineMs }: QueuedWrite): boolean => !isBusy(error) || deadlineMs <= nowMs;
      const failure = { reason: this.#guard.explain(error) };
      // They came in the order of their deadlines.
      while (this.#queue[0] !== undefined && isLost(this.#queue[0])) this.#queue.shift()?.fail(failure);
      if (this.#queue.length === 0) this.#onIdle?.();
      else {
        this.#isScheduled = true;
        setTimeout(() => this.#flush(), busyPauseMs);
      }
      return false;
    }
  }

  /** What tells each caller how it ended. */
  #commit(group: readonly QueuedWrite[]): readonly (() => void)[] {
    try {
      const settle = group.map((write) => this.#attempt(write));
      this.#database.exec('COMMIT');
      return settle;
    } catch (error) {
      if (this.#database.inTransaction) this.#rollBack();
      const failure = { reason: this.#guard.explain(error) };
      return group.map((write) => () => write.fail(failure));
    }
  }

  /** Throws where the whole transaction is lost. */
  #attempt(write: QueuedWrite): () => void {
    this.#database.exec('SAVEPOINT one');
    try {
      const settle = write.attempt();
      this.#database.exec('RELEASE one');
      return settle;
    } catch (error) {
      // A full disk, for one, ends the transaction with all that was done in it (https://sqlite.org/lang_transaction.html).
      if (!this.#database.inTransaction) throw error;
      this.#database.exec('ROLLBACK TO one');
      this.#database.exec('RELEASE one');
      const failure = { reason: this.#guard.explain(error) };
      return () => write.fail(failure);
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has done so itself in the meantime; BEGIN fails if not, and everybody is told.
    }
  }
}

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
