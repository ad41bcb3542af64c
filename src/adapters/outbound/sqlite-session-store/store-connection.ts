import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stored, StoreFailure } from '../../../application/ports/agent/session-store.js';
import { err, ok } from '../../../domain/shared/result.js';
import { busyPauseMs, explainFault, isBusy, isCorruption, LostFileError, lockTimeoutMs } from './sqlite-faults.js';
import type { Database } from './sqlite-module.js';
import { logOf } from './store-file.js';

/** Maximum queued writes. */
const maxQueue = 10_000;
/** Maximum writes per transaction, which blocks the thread. */
const maxGroup = 500;

interface QueuedWrite {
  /** Monotonic deadline for a lock of another process. */
  readonly deadlineMs: number;
  /** Performs the write and returns the callback for its commit. Throws SQLite errors. */
  attempt(): () => void;
  fail(failure: StoreFailure): void;
}

/** Monitors a database. */
interface DatabaseGuard {
  /** Throws if the database must not be used any more. */
  check(): void;
  /** Receives every failure and returns its description as one clause. */
  explain(error: unknown): string;
}

/**
 * Groups the writes of one event-loop turn into one transaction, since one disk sync costs the same
 * as many. Callers succeed after the commit; a failed write does not affect others unless the
 * transaction fails.
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
    if (this.#queue.length >= maxQueue)
      return Promise.resolve(err({ reason: 'the write queue of the session store is full' }));
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

  /** Resolves when the queue is empty. No write may follow. */
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
    const group = this.#queue.splice(0, maxGroup);
    for (const settle of this.#commit(group)) settle();
    if (this.#queue.length > 0) this.#schedule();
    else this.#onIdle?.();
  }

  /** Whether a transaction has begun; otherwise callers wait on or get the failure. */
  #begin(): boolean {
    try {
      this.#guard.check();
      this.#database.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      const nowMs = performance.now();
      const isLost = ({ deadlineMs }: QueuedWrite): boolean => !isBusy(error) || deadlineMs <= nowMs;
      const failure = { reason: this.#guard.explain(error) };
      // The queue is ordered by deadline.
      while (this.#queue[0] !== undefined && isLost(this.#queue[0])) this.#queue.shift()?.fail(failure);
      if (this.#queue.length === 0) this.#onIdle?.();
      else {
        this.#isScheduled = true;
        setTimeout(() => this.#flush(), busyPauseMs);
      }
      return false;
    }
  }

  /** Completion callbacks of the callers. */
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

  /** Throws if the whole transaction is lost. */
  #attempt(write: QueuedWrite): () => void {
    this.#database.exec('SAVEPOINT one');
    try {
      const settle = write.attempt();
      this.#database.exec('RELEASE one');
      return settle;
    } catch (error) {
      // A full disk, for example, rolls back the transaction
      // (https://sqlite.org/lang_transaction.html).
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
      // SQLite may have rolled back itself; otherwise the next BEGIN fails and reports it.
    }
  }
}

const closed = err({ reason: 'the session store is closed' });

const identityOf = (path: string): string | null => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
};

/** Shared by the stores of one database: direct reads, grouped writes, close. */
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

  /** Several statements are atomic. */
  async write<Value>(work: () => Value): Stored<Value> {
    return this.#closing === null ? this.#writes.write(work) : closed;
  }

  /** Whether the file was replaced, removed or found damaged. */
  isLost(): boolean {
    return this.#isCorrupt || this.#isMoved();
  }

  /** Whether the path has another file beside our log, into which SQLite would replay that log. */
  hasLeftItsLog(): boolean {
    if (this.#logIdentity === null || !this.#isMoved()) return false;
    return this.#identityNow(logOf(this.database.name)) === this.#logIdentity;
  }

  /** Queued writes finish first. */
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

  /** Null also if the folder is inaccessible. */
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
      // Committed data is in the log; the next opening finds it.
    }
  }
}
