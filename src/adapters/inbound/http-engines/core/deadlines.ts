import type { EngineLimits } from '../../../../application/ports/gateway/http-engine.js';
import { TimerWheel, type WheelTimer } from '../../../../domain/shared/timer-wheel.js';

/** Time limit for reading and dropping unwanted input. Milliseconds, monotonic clock. */
export class Linger {
  readonly #limits: EngineLimits;
  /** Infinity until it starts. */
  #endMs = Number.POSITIVE_INFINITY;

  constructor(limits: EngineLimits) {
    this.#limits = limits;
  }

  /** Call it at the start and on input. Returns the deadline if no more input arrives. */
  dueMs(nowMs: number): number {
    this.#endMs = Math.min(this.#endMs, nowMs + this.#limits.maxLingerMs);
    return Math.min(this.#endMs, nowMs + this.#limits.lingerMs);
  }

  end(): void {
    this.#endMs = Number.POSITIVE_INFINITY;
  }
}

/** The single deadline of a connection, cheap to move. */
export class ConnectionDeadline implements WheelTimer {
  /**
   * Time known to the wheel; it may be earlier than the deadline, which is checked when it fires.
   */
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  readonly #deadlines: Deadlines;
  readonly #passed: (nowMs: number) => void;
  /** Infinity if unset. */
  #deadlineMs = Number.POSITIVE_INFINITY;

  /** Calls `passed` when the deadline passes; it is then unset. */
  constructor(deadlines: Deadlines, passed: (nowMs: number) => void) {
    this.#deadlines = deadlines;
    this.#passed = passed;
  }

  /** Replaces the deadline. `deadlineMs` is finite, monotonic clock. */
  set(deadlineMs: number): void {
    this.#deadlineMs = deadlineMs;
    if (this.slot < 0 || deadlineMs < this.dueMs) this.#deadlines.set(this, deadlineMs);
  }

  clear(): void {
    this.#deadlineMs = Number.POSITIVE_INFINITY;
  }

  /** Ends it for good. */
  end(): void {
    this.clear();
    this.#deadlines.remove(this);
  }

  expired(): void {
    const nowMs = performance.now();
    if (this.#deadlineMs <= nowMs) {
      this.clear();
      this.#passed(nowMs);
    } else if (this.#deadlineMs < Number.POSITIVE_INFINITY) this.#deadlines.set(this, this.#deadlineMs);
  }
}

/** Timer resolution, in milliseconds. */
const tickMs = 50;
/** A turn later than this, in milliseconds, means a stalled event loop. */
const heldUpMs = 100;
/** One round takes about 100 seconds. */
const slots = 2_048;

/** Timer wheel of all connections of an engine, on one Node timer that runs only while needed. */
export class Deadlines {
  readonly #wheel = new TimerWheel(tickMs, slots, performance.now());
  #turning: NodeJS.Timeout | null = null;
  #turnedMs = 0;

  /** `dueMs` is finite, monotonic clock. */
  set(timer: WheelTimer, dueMs: number): void {
    this.#wheel.set(timer, dueMs);
    if (this.#turning !== null) return;
    this.#turnedMs = performance.now();
    this.#turning = setInterval(() => this.#comeBy(), tickMs).unref();
  }

  remove(timer: WheelTimer): void {
    this.#wheel.remove(timer);
  }

  /**
   * Input that arrived during a stall is unread yet and must not count as silence; read it first.
   */
  #comeBy(): void {
    const nowMs = performance.now();
    const isLate = nowMs - this.#turnedMs > heldUpMs;
    this.#turnedMs = nowMs;
    if (isLate) setImmediate(() => this.#turn());
    else this.#turn();
  }

  #turn(): void {
    this.#wheel.turn(performance.now());
    if (this.#wheel.size > 0 || this.#turning === null) return;
    clearInterval(this.#turning);
    this.#turning = null;
  }
}
