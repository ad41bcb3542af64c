import type { Logger } from '../../../ports/shared/logger.js';

/** What loads warn of in a worker: nothing where another worker loads, or has loaded, the same texts and says it. */
export class WorkerLoadLogger implements Pick<Logger, 'warn'> {
  readonly #logger: Pick<Logger, 'warn'>;
  #warns: boolean;

  /** `warns`: see `StartOrder`. */
  constructor(logger: Pick<Logger, 'warn'>, warns: boolean) {
    this.#logger = logger;
    this.#warns = warns;
  }

  /** For the load that comes next. */
  become(warns: boolean): void {
    this.#warns = warns;
  }

  warn(...parameters: Parameters<Logger['warn']>): void {
    if (this.#warns) this.#logger.warn(...parameters);
  }
}
