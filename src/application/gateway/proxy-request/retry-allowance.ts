import {
  newRetryBudget,
  type RetryBudget,
  takeRetry,
  withRequest,
} from '../../../domain/gateway/load-balancing/retry-budget.js';

/** The retries that all requests of one upstream have together. */
export class RetryAllowance {
  readonly #percent: number;
  #budget: RetryBudget;

  /** @param percent retries for each 100 requests; 0: none */
  constructor(percent: number) {
    this.#percent = percent;
    this.#budget = newRetryBudget(percent);
  }

  /** A request is sent for the first time. */
  requestBegun(): void {
    this.#budget = withRequest(this.#budget, this.#percent);
  }

  get hasRetry(): boolean {
    return takeRetry(this.#budget) !== null;
  }

  /** A request is sent once more. */
  retried(): void {
    this.#budget = takeRetry(this.#budget) ?? this.#budget;
  }
}
