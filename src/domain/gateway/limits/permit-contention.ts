import { staticShare } from './permit-limits.js';
import type { PermitOutbox, PermitReport } from './permit-messages.js';

/** Granted permits. */
interface Grant {
  /** Number of the batch that carries the grant. */
  readonly batch: number;
  readonly permits: number;
}

/** The supervisor's view of one worker and one contended key. */
class PermitState {
  isPatient = false;
  /** The worker was refused and has not been notified of free permits since. */
  isRefused = false;
  used = 0;
  /** Number of the batch that needs a response; null: none. */
  #awaited: number | null = null;
  /** Permits in its last report; before that, the share that it may have taken. */
  #held = 0;
  #wants = 0;
  /** Grants after the last report. */
  #grants: Grant[] = [];
  #granted = 0;
  #hasReported: boolean;

  /** @param assumed the share that it may hold before its first report; null: none */
  constructor(assumed: number | null) {
    this.#hasReported = assumed === null;
    this.#held = assumed ?? 0;
  }

  /** Largest number of permits that it can use. */
  get allotted(): number {
    return this.#held + this.#granted;
  }

  get isAwaited(): boolean {
    return this.#awaited !== null;
  }

  get wants(): number {
    return this.#wants;
  }

  /** Requires a response to a batch. */
  await(batch: number): void {
    this.#awaited = batch;
  }

  /** Raises the assumed share before the first report. */
  assume(share: number): void {
    if (!this.#hasReported) this.#held = Math.max(this.#held, share);
  }

  grant(batch: number, permits: number): void {
    this.#grants.push({ batch, permits });
    this.#granted += permits;
    this.#wants = Math.max(0, this.#wants - permits);
  }

  refuse(): void {
    this.isRefused = true;
    if (!this.isPatient) this.#wants = 0;
  }

  /** @param seen number of the last batch that the worker had received */
  report({ held, used, wants, isPatient }: PermitReport, seen: number): void {
    this.#hasReported = true;
    this.#grants = this.#grants.filter(({ batch }) => batch > seen);
    this.#granted = this.#grants.reduce((sum, { permits }) => sum + permits, 0);
    this.#held = held;
    this.used = used;
    this.#wants = Math.max(0, wants - this.#granted);
    // A worker that asks has not received the refusal, or has dropped it.
    if (this.#wants > 0) this.isRefused = false;
    this.isPatient = isPatient;
    if (this.#awaited !== null && this.#awaited <= seen) this.#awaited = null;
  }
}

/** How long to wait for workers to return unused permits, in milliseconds. */
export const recallTimeoutMs = 100;

/**
 * The permits of a key of which a worker needs more than its static share. Every permit is held by a worker, in transit
 * to it, or free. The sum never exceeds the limit, except permits in use when the limit falls.
 */
export class PermitContention {
  readonly key: string;
  readonly #workers: number;
  #limit: number;
  /** The worker to serve next comes first. */
  readonly #states = new Map<PermitOutbox, PermitState>();
  /** Unused permits that each worker may keep. */
  #slack = 0;
  /** Deadline of outstanding responses; null: none. */
  #dueMs: number | null = null;

  constructor(key: string, limit: number, workers: number) {
    this.key = key;
    this.#limit = limit;
    this.#workers = workers;
  }

  get dueMs(): number | null {
    return this.#dueMs;
  }

  /** Adds a worker without permits of the key. */
  addWorker(worker: PermitOutbox): void {
    if (!this.#states.has(worker)) this.#states.set(worker, new PermitState(null));
  }

  /** Recalls the static share of a worker, which may be in use. */
  recall(worker: PermitOutbox): void {
    if (this.#share === 0 || this.#states.has(worker)) return;
    const state = new PermitState(this.#share);
    this.#states.set(worker, state);
    state.await(worker.enqueue({ kind: 'recall', key: this.key, slack: 0 }));
  }

  /** Removes an ended worker with its permits. */
  removeWorker(worker: PermitOutbox): void {
    this.#states.delete(worker);
  }

  /** @param others workers with static shares */
  report(worker: PermitOutbox, report: PermitReport, seen: number, others: Iterable<PermitOutbox>): void {
    this.addWorker(worker);
    this.#states.get(worker)?.report(report, seen);
    if (report.limit === this.#limit) return;
    this.#limit = report.limit;
    for (const state of this.#states.values()) state.assume(this.#share);
    for (const other of others) this.recall(other);
    this.#tighten();
  }

  /** Grants free permits, recalls unused ones if they do not suffice, and refuses requests if there are none. */
  serve(nowMs: number): void {
    this.#grant();
    const isStarved = this.#starved().length > 0;
    if (isStarved && this.#slack > 0) this.#tighten();
    const isAwaiting = this.#isAwaiting;
    if (!isAwaiting) this.#dueMs = null;
    else if (isStarved) this.#dueMs ??= nowMs + recallTimeoutMs;
    if (isStarved) {
      if (!isAwaiting || (this.#dueMs !== null && this.#dueMs <= nowMs)) this.#refuse();
      return;
    }
    if (this.#free <= 0) return;
    for (const [worker, state] of this.#states) {
      if (state.isRefused) worker.enqueue({ kind: 'available', key: this.key });
      state.isRefused = false;
    }
    if (!isAwaiting) this.#loosen();
  }

  /** Restores static shares if all workers need far less; otherwise does nothing. True: restored. */
  release(): boolean {
    const share = this.#share;
    for (const { allotted, used, wants, isAwaited, isRefused } of this.#states.values()) {
      if (allotted > share || used * 2 > share || wants > 0 || isAwaited || isRefused) return false;
    }
    for (const worker of this.#states.keys()) worker.enqueue({ kind: 'released', key: this.key });
    return true;
  }

  get #share(): number {
    return staticShare(this.#limit, this.#workers);
  }

  get #allotted(): number {
    let sum = 0;
    for (const { allotted } of this.#states.values()) sum += allotted;
    return sum;
  }

  get #free(): number {
    return this.#limit - this.#allotted;
  }

  get #isAwaiting(): boolean {
    for (const { isAwaited } of this.#states.values()) if (isAwaited) return true;
    return false;
  }

  #starved(): readonly (readonly [PermitOutbox, PermitState])[] {
    return [...this.#states].filter(([, { wants }]) => wants > 0);
  }

  #grant(): void {
    let free = this.#free;
    const starved = this.#starved();
    for (const [index, [worker, state]] of starved.entries()) {
      if (free <= 0) return;
      const evenShare = Math.max(1, Math.floor(free / (starved.length - index)));
      const permits = Math.min(state.wants, evenShare);
      // A busy worker gets some in advance.
      const inAdvance = Math.min(this.#slack, Math.floor((free - permits) / this.#workers));
      const granted = permits + inAdvance;
      free -= granted;
      state.isRefused = false;
      state.grant(worker.enqueue({ kind: 'grant', key: this.key, permits: granted, slack: this.#slack }), granted);
      // Move it to the end of the order.
      this.#states.delete(worker);
      this.#states.set(worker, state);
    }
  }

  #refuse(): void {
    const inUse = this.#allotted;
    for (const [worker, state] of this.#starved()) {
      if (!state.isRefused) worker.enqueue({ kind: 'refused', key: this.key, inUse });
      state.refuse();
    }
  }

  #tighten(): void {
    this.#slack = 0;
    for (const [worker, state] of this.#states) {
      if (state.isAwaited) continue;
      state.await(worker.enqueue({ kind: 'recall', key: this.key, slack: 0 }));
    }
  }

  /** Raises the slack when many permits are free, so that busy workers rarely ask. */
  #loosen(): void {
    const slack = Math.min(this.#share >> 2, Math.floor(this.#free / (2 * this.#workers)));
    if (slack === 0 || slack < this.#slack * 2) return;
    this.#slack = slack;
    for (const worker of this.#states.keys()) worker.enqueue({ kind: 'slack', key: this.key, slack });
  }
}
