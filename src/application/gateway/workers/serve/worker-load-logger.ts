import type { Logger } from '../../../ports/shared/logger.js';

/** Logs the warnings of loads in a worker, unless another worker logs them for the same texts. */
export class WorkerLoadLogger implements Pick<Logger, 'warn'> {
  readonly #logger: Pick<Logger, 'warn'>;
  #logsWarnings: boolean;

  /** `logsWarnings`: see `StartOrder`. */
  constructor(logger: Pick<Logger, 'warn'>, logsWarnings: boolean) {
    this.#logger = logger;
    this.#logsWarnings = logsWarnings;
  }

  /** Sets `logsWarnings` for the next load. */
  setLogsWarnings(logsWarnings: boolean): void {
    this.#logsWarnings = logsWarnings;
  }

  warn(...parameters: Parameters<Logger['warn']>): void {
    if (this.#logsWarnings) this.#logger.warn(...parameters);
  }
}
