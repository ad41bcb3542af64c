import type { Logger } from '../ports/logger.js';
import type { StartOrder } from '../supervise-workers/worker-topics.js';

/** What loads warn of in a worker: the first worker's, and not again what the one before it has said of what is in force. */
export class WorkerLoadLogger implements Pick<Logger, 'warn'> {
  readonly #logger: Pick<Logger, 'warn'>;
  #warns: boolean;
  readonly #isFirst: boolean;

  constructor(logger: Pick<Logger, 'warn'>, { number, isReplacement }: Pick<StartOrder, 'number' | 'isReplacement'>) {
    this.#logger = logger;
    this.#isFirst = number === 1;
    this.#warns = this.#isFirst && !isReplacement;
  }

  /** The load of its start is over. */
  serves(): void {
    this.#warns = this.#isFirst;
  }

  warn(...parameters: Parameters<Logger['warn']>): void {
    if (this.#warns) this.#logger.warn(...parameters);
  }
}
