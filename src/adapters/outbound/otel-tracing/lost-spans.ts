import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';

const quietMs = 60_000;

/** Says that spans are lost, and how many: one line a minute at most, however long the collector is away. */
export class LostSpans {
  readonly #collector: string;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #count = 0;
  #nextLineMs = Number.NEGATIVE_INFINITY;

  /** `collector` is what log lines call it: host and port. */
  constructor(collector: string, logger: Logger, clock: Clock) {
    this.#collector = collector;
    this.#logger = logger;
    this.#clock = clock;
  }

  add(spans: number, reason: string): void {
    this.#count += spans;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#nextLineMs) return;
    this.#nextLineMs = nowMs + quietMs;
    this.#logger.warn('spans could not be sent', { collector: this.#collector, reason, lost: this.#count });
    this.#count = 0;
  }
}
