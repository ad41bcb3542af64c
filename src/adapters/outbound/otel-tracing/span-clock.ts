import type { Clock } from '../../../application/ports/shared/clock.js';

/** How far the two clocks may drift apart before the date is looked at anew, in milliseconds. */
const maxDriftMs = 20;

/**
 * The time of spans. The wall clock counts whole milliseconds, so that a part could seem to end after its request; here it
 * says what day it is, and the monotonic clock what has passed since.
 */
export class SpanClock {
  readonly #clock: Clock;
  #offsetMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offsetMs = clock.wallMs() - clock.monotonicMs();
  }

  /** What a span that begins now adds to the monotonic clock until its end. It stays the same while the wall clock is not set. */
  offsetMs(): number {
    const offsetMs = this.#clock.wallMs() - this.#clock.monotonicMs();
    if (Math.abs(offsetMs - this.#offsetMs) > maxDriftMs) this.#offsetMs = offsetMs;
    return this.#offsetMs;
  }

  /** Milliseconds since the Unix epoch, with their fractions. */
  nowMs(offsetMs: number): number {
    return offsetMs + this.#clock.monotonicMs();
  }
}
