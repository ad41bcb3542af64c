import type { Logger } from '../../../ports/shared/logger.js';

/** Logs the warnings of loads in a worker, unless another worker logs them for the same texts. */
export class WorkerLoadLogger implements Pick<Logger, 'warn'> {
  readonly #logger: Pick<Logger, 'warn'>;
  #warns: boolean;

  /** `warns`: see `StartOrder`. */
  constructor(logger: Pick<Logger, 'warn'>, warns: boolean) {
    this.#logger = logger;
    this.#warns = warns;
  }

  /** Sets `warns` for the next load. */
  become(warns: boolean): void {
    this.#warns = warns;
  }

  warn(...parameters: Parameters<Logger['warn']>): void {
    if (this.#warns) this.#logger.warn(...parameters);
  }
}
