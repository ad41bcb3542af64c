import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';

/** Between two lines, in milliseconds: whoever misbehaves must not fill the log. */
const intervalMs = 10_000;

/** Tells of calls that are cut off and belong to no gateway's session: one line for many. */
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

  /** @param reason one clause; quotes nothing that came */
  note(reason: string): void {
    this.#calls += 1;
    this.#reason = reason;
    this.check();
  }

  /** Tells of what is still to be told, once it may be. */
  check(): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#calls === 0 || (this.#lastMs !== null && nowMs - this.#lastMs < intervalMs)) return;
    this.#logger.warn('Calls of gateways were cut off', { calls: this.#calls, last_reason: this.#reason });
    this.#lastMs = nowMs;
    this.#calls = 0;
  }
}
