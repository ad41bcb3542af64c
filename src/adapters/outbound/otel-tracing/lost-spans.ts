import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';

const logIntervalMs = 60_000;

/** Logs the number of lost spans, at most once a minute. */
export class LostSpans {
  readonly #collector: string;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #count = 0;
  #nextLogMs = Number.NEGATIVE_INFINITY;

  /** @param collector host and port, for the log */
  constructor(collector: string, logger: Logger, clock: Clock) {
    this.#collector = collector;
    this.#logger = logger;
    this.#clock = clock;
  }

  add(spans: number, reason: string): void {
    this.#count += spans;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#nextLogMs) return;
    this.#nextLogMs = nowMs + logIntervalMs;
    this.#logger.warn('Sending spans failed', { collector: this.#collector, reason, lost: this.#count });
    this.#count = 0;
  }
}
