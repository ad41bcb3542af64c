import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';

/** Minimum interval between two log entries, in milliseconds; peers must not fill the log. */
const intervalMs = 10_000;

/** Logs calls that were cut off and belong to no session; one entry summarises many calls. */
export class CutOffLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #lastMs: number | null = null;
  #calls = 0;
  #reason = '';

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** @param reason one clause; must not quote received data */
  note(reason: string): void {
    this.#calls += 1;
    this.#reason = reason;
    this.check();
  }

  /** Logs pending cut-offs if the interval has passed. */
  check(): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#calls === 0 || (this.#lastMs !== null && nowMs - this.#lastMs < intervalMs)) return;
    this.#logger.warn('Calls of gateways were cut off', { calls: this.#calls, last_reason: this.#reason });
    this.#lastMs = nowMs;
    this.#calls = 0;
  }
}
