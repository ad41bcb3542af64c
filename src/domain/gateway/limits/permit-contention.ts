import { staticShare } from './permit-limits.js';
import type { PermitOutbox, PermitReport } from './permit-messages.js';

/** Permits that went out with a message. */
interface Grant {
  readonly message: number;
  readonly permits: number;
}

/** How one worker stands with one contended key, as the supervisor knows it. */
class PermitState {
  isPatient = false;
  /** It was told that there are none, and not yet that there are some. */
  isRefused = false;
  used = 0;
  /** The message that it has to answer; null where it has. */
  #awaited: number | null = null;
  /** What it holds by its last report; before the first one what it may have taken by itself. */
  #held = 0;
  #wants = 0;
  /** Those that the last report does not contain. */
  #grants: Grant[] = [];
  #granted = 0;
  #hasReported: boolean;

  /** @param assumed what it may hold unasked until its first report; null where it can hold nothing */
  constructor(assumed: number | null) {
    this.#hasReported = assumed === null;
    this.#held = assumed ?? 0;
  }

  /** What it can have in use at most. */
  get allotted(): number {
    return this.#held + this.#granted;
  }

  get isAwaited(): boolean {
    return this.#awaited !== null;
  }

  get wants(): number {
    return this.#wants;
  }

  /** It has to answer a message. */
  await(message: number): void {
    this.#awaited = message;
  }

  /** Before its first report it may have taken more than was thought. */
  assume(share: number): void {
    if (!this.#hasReported) this.#held = Math.max(this.#held, share);
  }

  grant(message: number, permits: number): void {
    this.#grants.push({ message, permits });
    this.#granted += permits;
    this.#wants = Math.max(0, this.#wants - permits);
  }

  refuse(): void {
    this.isRefused = true;
    if (!this.isPatient) this.#wants = 0;
  }

  /** @param seen number of the last message that the worker had when it wrote this */
  report({ held, used, wants, isPatient }: PermitReport, seen: number): void {
    this.#hasReported = true;
    this.#grants = this.#grants.filter(({ message }) => message > seen);
    this.#granted = this.#grants.reduce((sum, { permits }) => sum + permits, 0);
    this.#held = held;
    this.used = used;
    this.#wants = Math.max(0, wants - this.#granted);
    // Who asks does not know of a refusal any more, or not yet.
    if (this.#wants > 0) this.isRefused = false;
    this.isPatient = isPatient;
    if (this.#awaited !== null && this.#awaited <= seen) this.#awaited = null;
  }
}

/** How long workers are waited for that have to give up what they do not use; milliseconds. */
export const recallPatienceMs = 100;

/**
 * The permits of one key that some worker needs more of than its static share. Every permit is with one worker, on
 * its way to it, or free here: the sum is never above the limit, but for what was in use when the limit went down.
 */
export class PermitContention {
  readonly key: string;
  readonly #workers: number;
  #limit: number;
  /** In the order of whose turn it is. */
  readonly #standings = new Map<PermitOutbox, PermitState>();
  /** What each may keep that it does not use. */
  #slack = 0;
  /** When those are waited for no longer that have to answer; null where nobody is waited for. */
  #dueMs: number | null = null;

  constructor(key: string, limit: number, workers: number) {
    this.key = key;
    this.#limit = limit;
    this.#workers = workers;
  }

  get dueMs(): number | null {
    return this.#dueMs;
  }

  /** A worker that does not know of the key and holds nothing of it. */
  admit(worker: PermitOutbox): void {
    if (!this.#standings.has(worker)) this.#standings.set(worker, new PermitState(null));
  }

  /** Takes its static share back from a worker that may be using it. */
  recall(worker: PermitOutbox): void {
    if (this.#share === 0 || this.#standings.has(worker)) return;
    const standing = new PermitState(this.#share);
    this.#standings.set(worker, standing);
    standing.await(worker.tell({ kind: 'recall', key: this.key, slack: 0 }));
  }

  /** A worker has ended, and with it all that it had. */
  leave(worker: PermitOutbox): void {
    this.#standings.delete(worker);
  }

  /** @param others the workers that have static shares */
  report(worker: PermitOutbox, report: PermitReport, seen: number, others: Iterable<PermitOutbox>): void {
    this.admit(worker);
    this.#standings.get(worker)?.report(report, seen);
    if (report.limit === this.#limit) return;
    this.#limit = report.limit;
    for (const standing of this.#standings.values()) standing.assume(this.#share);
    for (const other of others) this.recall(other);
    this.#tighten();
  }

  /** Gives out what is free, has more come back where it is too little, and says so where there is none. */
  serve(nowMs: number): void {
    this.#grant();
    const isStarved = this.#starved().length > 0;
    if (isStarved && this.#slack > 0) this.#tighten();
    const isAwaiting = this.#isAwaiting;
    if (!isAwaiting) this.#dueMs = null;
    else if (isStarved) this.#dueMs ??= nowMs + recallPatienceMs;
    if (isStarved) {
      if (!isAwaiting || (this.#dueMs !== null && this.#dueMs <= nowMs)) this.#refuse();
      return;
    }
    if (this.#free <= 0) return;
    for (const [worker, standing] of this.#standings) {
      if (standing.isRefused) worker.tell({ kind: 'available', key: this.key });
      standing.isRefused = false;
    }
    if (!isAwaiting) this.#loosen();
  }

  /** Lets static shares hold again, where nobody needs more by far; otherwise does nothing. */
  release(): boolean {
    const share = this.#share;
    for (const { allotted, used, wants, isAwaited, isRefused } of this.#standings.values()) {
      if (allotted > share || used * 2 > share || wants > 0 || isAwaited || isRefused) return false;
    }
    for (const worker of this.#standings.keys()) worker.tell({ kind: 'released', key: this.key });
    return true;
  }

  get #share(): number {
    return staticShare(this.#limit, this.#workers);
  }

  get #allotted(): number {
    let sum = 0;
    for (const { allotted } of this.#standings.values()) sum += allotted;
    return sum;
  }

  get #free(): number {
    return this.#limit - this.#allotted;
  }

  get #isAwaiting(): boolean {
    for (const { isAwaited } of this.#standings.values()) if (isAwaited) return true;
    return false;
  }

  #starved(): readonly (readonly [PermitOutbox, PermitState])[] {
    return [...this.#standings].filter(([, { wants }]) => wants > 0);
  }

  #grant(): void {
    let free = this.#free;
    const starved = this.#starved();
    for (const [index, [worker, standing]] of starved.entries()) {
      if (free <= 0) return;
      const even = Math.max(1, Math.floor(free / (starved.length - index)));
      const permits = Math.min(standing.wants, even);
      // A busy worker gets some in advance.
      const extra = Math.min(this.#slack, Math.floor((free - permits) / this.#workers));
      const granted = permits + extra;
      free -= granted;
      standing.isRefused = false;
      standing.grant(worker.tell({ kind: 'grant', key: this.key, permits: granted, slack: this.#slack }), granted);
      // Its next turn comes after that of all others.
      this.#standings.delete(worker);
      this.#standings.set(worker, standing);
    }
  }

  #refuse(): void {
    const inUse = this.#allotted;
    for (const [worker, standing] of this.#starved()) {
      if (!standing.isRefused) worker.tell({ kind: 'refused', key: this.key, inUse });
      standing.refuse();
    }
  }

  #tighten(): void {
    this.#slack = 0;
    for (const [worker, standing] of this.#standings) {
      if (standing.isAwaited) continue;
      standing.await(worker.tell({ kind: 'recall', key: this.key, slack: 0 }));
    }
  }

  /** Has workers keep more by themselves, the more is free: busy ones then seldom have to ask. */
  #loosen(): void {
    const slack = Math.min(this.#share >> 2, Math.floor(this.#free / (2 * this.#workers)));
    if (slack === 0 || slack < this.#slack * 2) return;
    this.#slack = slack;
    for (const worker of this.#standings.keys()) worker.tell({ kind: 'slack', key: this.key, slack });
  }
}
