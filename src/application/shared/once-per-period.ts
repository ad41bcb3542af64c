import type { Clock } from '../ports/shared/clock.js';

/** Lets one of many events through in a period, and counts those it keeps back. */
export class OncePerPeriod {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #periodMs: number;
  #nextMs = Number.NEGATIVE_INFINITY;
  #keptBack = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>, periodMs: number) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  /** How many were kept back since the last one that was let through; null where this one is kept back, too. */
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
