import type { EngineLimits } from '../../../../application/ports/gateway/http-engine.js';
import { TimerWheel, type WheelTimer } from '../../../../domain/shared/timer-wheel.js';

/** For how long a client is still read whose octets nobody wants; times are of the monotonic clock, in milliseconds. */
export class Linger {
  readonly #limits: EngineLimits;
  /** Infinity: has not begun. */
  #endMs = Number.POSITIVE_INFINITY;

  constructor(limits: EngineLimits) {
    this.#limits = limits;
  }

  /** Something has come, or it begins. Gives the end of the client's patience, should nothing come any more. */
  dueMs(nowMs: number): number {
    this.#endMs = Math.min(this.#endMs, nowMs + this.#limits.maxLingerMs);
    return Math.min(this.#endMs, nowMs + this.#limits.lingerMs);
  }

  end(): void {
    this.#endMs = Number.POSITIVE_INFINITY;
  }
}

/** What a connection waits for at the moment: for one thing at a time, and in most cases it comes. */
export class ConnectionDeadline implements WheelTimer {
  /** What the wheel knows of; it may be sooner than the deadline is: then that is found out when it has come. */
  dueMs = 0;
  slot = -1;
  next: WheelTimer | null = null;
  previous: WheelTimer | null = null;
  readonly #deadlines: Deadlines;
  readonly #passed: (nowMs: number) => void;
  /** Infinity: there is none. */
  #deadlineMs = Number.POSITIVE_INFINITY;

  /** `passed` is called when a deadline has passed, and there is none any more. */
  constructor(deadlines: Deadlines, passed: (nowMs: number) => void) {
    this.#deadlines = deadlines;
    this.#passed = passed;
  }

  /** In place of the one before. `deadlineMs`: by the monotonic clock; finite. */
  set(deadlineMs: number): void {
    this.#deadlineMs = deadlineMs;
    if (this.slot < 0 || deadlineMs < this.dueMs) this.#deadlines.set(this, deadlineMs);
  }

  clear(): void {
    this.#deadlineMs = Number.POSITIVE_INFINITY;
  }

  /** There will be none any more. */
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

/** How late something may be that is due, in milliseconds. */
const tickMs = 50;
/** A turn that is later than this, in milliseconds, finds the loop held up. */
const heldUpMs = 100;
/** A round is a little more than a minute and a half. */
const slots = 2_048;

/** What the connections of an engine wait for, by one timer of Node's, which runs only while there is something. */
export class Deadlines {
  readonly #wheel = new TimerWheel(tickMs, slots, performance.now());
  #turning: NodeJS.Timeout | null = null;
  #turnedMs = 0;

  /** `dueMs`: by the monotonic clock; finite. */
  set(timer: WheelTimer, dueMs: number): void {
    this.#wheel.set(timer, dueMs);
    if (this.#turning !== null) return;
    this.#turnedMs = performance.now();
    this.#turning = setInterval(() => this.#comeBy(), tickMs).unref();
  }

  remove(timer: WheelTimer): void {
    this.#wheel.remove(timer);
  }

  /** What has come while the loop was held up has not been read yet: that is nobody's silence. It is read first. */
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
