import type { Clock } from '../ports/shared/clock.js';

/** Lets one event through per period, and counts the suppressed ones. */
export class OncePerPeriod {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #periodMs: number;
  #nextMs = Number.NEGATIVE_INFINITY;
  #keptBack = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>, periodMs: number) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  /** The number suppressed since the last event that passed; null if this event is suppressed. */
  take(): number | null {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#nextMs) {
      this.#keptBack += 1;
      return null;
    }
    const keptBack = this.#keptBack;
    this.#keptBack = 0;
    this.#nextMs = nowMs + this.#periodMs;
    return keptBack;
  }
}
