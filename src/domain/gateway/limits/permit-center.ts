import { PermitContention } from './permit-contention.js';
import { staticShare } from './permit-limits.js';
import { PermitOutbox, type PermitReport, type PermitReports } from './permit-messages.js';

/** The supervisor's side of permits. It tracks only contended keys, which have a permit in use or requested. */
export class PermitCenter {
  readonly #workers: number;
  readonly #outboxes = new Set<PermitOutbox>();
  readonly #contentions = new Map<string, PermitContention>();
  /** Contentions with outstanding worker responses. */
  readonly #awaiting = new Set<PermitContention>();

  /** @param workers number of workers that share the limits, present or not */
  constructor(workers: number) {
    this.#workers = workers;
  }

  /** Number of contended keys. */
  get size(): number {
    return this.#contentions.size;
  }

  connect(): PermitOutbox {
    const outbox = new PermitOutbox();
    this.#outboxes.add(outbox);
    return outbox;
  }

  /** Frees the permits of an ended worker. */
  disconnect(outbox: PermitOutbox, nowMs: number): void {
    this.#outboxes.delete(outbox);
    for (const contention of [...this.#contentions.values()]) {
      contention.removeWorker(outbox);
      this.#serveContention(contention, nowMs);
    }
  }

  receive(outbox: PermitOutbox, { seen, isJoining, reports }: PermitReports, nowMs: number): void {
    if (!this.#outboxes.has(outbox)) return;
    outbox.confirm(seen);
    for (const report of reports) this.#report(outbox, report, seen, nowMs);
    if (!isJoining) return;
    for (const contention of this.#contentions.values()) contention.addWorker(outbox);
    outbox.answerJoin([...this.#contentions.keys()]);
  }

  /** Deadline of the next outstanding response; null: none. */
  get nextDueMs(): number | null {
    for (const { dueMs } of this.#awaiting) return dueMs;
    return null;
  }

  /** Stops waiting for overdue workers. */
  expire(nowMs: number): void {
    for (const contention of this.#awaiting) {
      if (contention.dueMs !== null && contention.dueMs > nowMs) return;
      this.#serveContention(contention, nowMs);
      this.#awaiting.delete(contention);
    }
  }

  #report(outbox: PermitOutbox, report: PermitReport, seen: number, nowMs: number): void {
    // The worker reports again when it learns that the key was released.
    if (outbox.isOutdated(report.key)) return;
    const contention = this.#contentions.get(report.key) ?? this.#contend(outbox, report);
    if (contention === null) return;
    contention.report(outbox, report, seen, this.#joinedWorkers());
    this.#serveContention(contention, nowMs);
  }

  /** Null: the static shares suffice. */
  #contend(outbox: PermitOutbox, { key, limit, held, wants }: PermitReport): PermitContention | null {
    if (wants === 0 && held <= staticShare(limit, this.#workers)) {
      outbox.enqueue({ kind: 'released', key });
      return null;
    }
    const contention = new PermitContention(key, limit, this.#workers);
    this.#contentions.set(key, contention);
    contention.addWorker(outbox);
    for (const other of this.#joinedWorkers()) contention.recall(other);
    return contention;
  }

  #joinedWorkers(): readonly PermitOutbox[] {
    return [...this.#outboxes].filter(({ hasJoined }) => hasJoined);
  }

  #serveContention(contention: PermitContention, nowMs: number): void {
    contention.serve(nowMs);
    const isReleased = contention.release();
    if (isReleased) this.#contentions.delete(contention.key);
    const { dueMs } = contention;
    // INVARIANT: all waits are equally long, so the first one added is due first.
    if (isReleased || dueMs === null) this.#awaiting.delete(contention);
    else if (dueMs > nowMs) this.#awaiting.add(contention);
  }
}
