import type { RetryRules } from '../../domain/configuration/upstream-options.js';
import type { UpstreamMetrics } from '../ports/gateway-metrics.js';
import type { Exchange } from './exchange.js';
import type { RetryAllowance } from './retry-allowance.js';

/** How often one request was sent to targets of its upstream, and the retries that it took of the upstream's allowance. */
export class RequestSendings {
  readonly #exchange: Exchange;
  readonly #rules: RetryRules;
  readonly #allowance: RetryAllowance;
  readonly #counters: UpstreamMetrics;
  #count = 0;

  constructor(exchange: Exchange, rules: RetryRules, allowance: RetryAllowance, counters: UpstreamMetrics) {
    this.#exchange = exchange;
    this.#rules = rules;
    this.#allowance = allowance;
    this.#counters = counters;
  }

  /** Those that were turned away are none. */
  get count(): number {
    return this.#count;
  }

  begun(): void {
    this.#count += 1;
    this.#exchange.upstreamAttempts += 1;
  }

  /** The last one was an attempt, whatever it came to. */
  made(): void {
    this.#counters.attempted();
  }

  /** The last one waited for a target that was taken out: nothing was sent. */
  turnedAway(): void {
    this.#count -= 1;
    this.#exchange.upstreamAttempts -= 1;
  }

  /** Whether the allowance has a retry left; where it has none, that is counted. */
  hasRetry(): boolean {
    const { hasRetry } = this.#allowance;
    if (!hasRetry) this.#counters.retryRefused();
    return hasRetry;
  }

  /** What is sent now is a retry. */
  retried(): void {
    this.#allowance.retried();
    this.#counters.retried();
  }

  /** Takes a retry for a repetition to the same target, if there may be one. */
  takeRepetition(): boolean {
    if (this.#count >= this.#rules.maxAttempts || !this.hasRetry()) return false;
    this.made();
    this.retried();
    this.begun();
    return true;
  }
}
