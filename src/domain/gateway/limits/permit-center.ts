import { PermitContention } from './permit-contention.js';
import { staticShare } from './permit-limits.js';
import { PermitOutbox, type PermitReport, type PermitReports } from './permit-messages.js';

/**
 * The supervisor's side of permits. It knows of those keys alone that are contended: each of them has a permit in
 * use, or one that is asked for.
 */
export class PermitCenter {
  readonly #workers: number;
  readonly #outboxes = new Set<PermitOutbox>();
  readonly #contentions = new Map<string, PermitContention>();
  /** Those where workers have to answer that have yet time to. */
  readonly #awaiting = new Set<PermitContention>();

  /** @param workers how many share the limits, whether or not all of them are there */
  constructor(workers: number) {
    this.#workers = workers;
  }

  /** Keys that are contended. */
  get size(): number {
    return this.#contentions.size;
  }

  connect(): PermitOutbox {
    const outbox = new PermitOutbox();
    this.#outboxes.add(outbox);
    return outbox;
  }

  /** A worker has ended: its permits are free. */
  disconnect(outbox: PermitOutbox, nowMs: number): void {
    this.#outboxes.delete(outbox);
    for (const contention of [...this.#contentions.values()]) {
      contention.leave(outbox);
      this.#serve(contention, nowMs);
    }
  }

  receive(outbox: PermitOutbox, { seen, isJoining, reports }: PermitReports, nowMs: number): void {
    if (!this.#outboxes.has(outbox)) return;
    outbox.seen(seen);
    for (const report of reports) this.#report(outbox, report, seen, nowMs);
    if (!isJoining) return;
    for (const contention of this.#contentions.values()) contention.admit(outbox);
    outbox.joined([...this.#contentions.keys()]);
  }

  /** When the next worker has had its time to answer; null where none has to. */
  get nextDueMs(): number | null {
    for (const { dueMs } of this.#awaiting) return dueMs;
    return null;
  }

  /** Waits no longer for those that have had their time. */
  expire(nowMs: number): void {
    for (const contention of this.#awaiting) {
      if (contention.dueMs !== null && contention.dueMs > nowMs) return;
      this.#serve(contention, nowMs);
      this.#awaiting.delete(contention);
    }
  }

  #report(outbox: PermitOutbox, report: PermitReport, seen: number, nowMs: number): void {
    // Once it hears that the key was released it says anew what it needs.
    if (outbox.isOutdated(report.key)) return;
    const contention = this.#contentions.get(report.key) ?? this.#contend(outbox, report);
    if (contention === null) return;
    contention.report(outbox, report, seen, this.#sharers());
    this.#serve(contention, nowMs);
  }

  /** Null where there is nothing to contend for. */
  #contend(outbox: PermitOutbox, { key, limit, held, wants }: PermitReport): PermitContention | null {
    if (wants === 0 && held <= staticShare(limit, this.#workers)) {
      outbox.tell({ kind: 'released', key });
      return null;
    }
    const contention = new PermitContention(key, limit, this.#workers);
    this.#contentions.set(key, contention);
    contention.admit(outbox);
    for (const other of this.#sharers()) contention.recall(other);
    return contention;
  }

  #sharers(): readonly PermitOutbox[] {
    return [...this.#outboxes].filter(({ hasJoined }) => hasJoined);
  }

  #serve(contention: PermitContention, nowMs: number): void {
    contention.serve(nowMs);
    const isReleased = contention.release();
    if (isReleased) this.#contentions.delete(contention.key);
    const { dueMs } = contention;
    // INVARIANT: all are waited for as long, so that the first one that was added is due first.
    if (isReleased || dueMs === null) this.#awaiting.delete(contention);
    else if (dueMs > nowMs) this.#awaiting.add(contention);
  }
}
