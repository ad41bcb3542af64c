import { TimerWheel, type WheelTimer } from '../../../../domain/shared/timer-wheel.js';

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
