import type { CircuitBreakerRules } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import {
  type TargetEjection,
  withAnswer,
  withFailure,
  withNothingLearnt,
  withRequestSent,
  withSuccess,
} from '../../../domain/gateway/load-balancing/target-ejection.js';
import type { TargetClient } from '../../ports/gateway/upstream-client.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { AttemptResult, ChosenTarget } from './chosen-target.js';
import type { Endpoint } from './endpoint.js';

/** What the end of an exchange is told to. */
export interface ChoiceParts {
  readonly upstream: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether requests would have nobody to go to without it. */
  readonly isLast: (endpoint: Endpoint) => boolean;
  /** The last exchange with an endpoint that is retired is over. */
  readonly whenUnused: (endpoint: Endpoint) => void;
}

/** What is logged where a target that fails gets requests because nobody else would. */
export const sparedMessage = 'Target gets requests again: there is no other';

/** Characters of an error that are kept. */
const maximumError = 200;

/** A request is about to be sent to an endpoint. It is counted from now until it has ended. */
export class ChosenEndpoint implements ChosenTarget {
  readonly kind = 'chosen';
  readonly #endpoint: Endpoint;
  readonly #parts: ChoiceParts;
  /** Of the breaker when the request was sent. */
  #period: number;
  #isOver = false;

  constructor(
    endpoint: Endpoint,
    readonly responseHeaders: readonly string[],
    parts: ChoiceParts,
  ) {
    this.#endpoint = endpoint;
    this.#parts = parts;
    const { ledger, breaker } = endpoint;
    endpoint.underWay += 1;
    ledger.active += 1;
    ledger.totalRequests += 1;
    if (breaker !== null && ledger.ejection.breaker.state !== 'closed') {
      ledger.ejection = withRequestSent(ledger.ejection, breaker, parts.clock.monotonicMs());
    }
    this.#period = ledger.ejection.breaker.period;
  }

  get address(): string {
    return this.#endpoint.text;
  }

  get client(): TargetClient {
    return this.#endpoint.client;
  }

  answered(): void {
    const { ledger, breaker } = this.#endpoint;
    if (this.#isOver || breaker === null || ledger.ejection.breaker.state !== 'half_open') return;
    if (ledger.ejection.breaker.period !== this.#period) return;
    this.#become(withAnswer(ledger.ejection, this.#period, breaker));
    // How the rest goes counts for the breaker that is closed now.
    this.#period = ledger.ejection.breaker.period;
  }

  ended(outcome: AttemptResult, detail = 'failed'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { ledger, breaker } = this.#endpoint;
    ledger.active -= 1;
    if (outcome === 'failure') ledger.failedRequests += 1;
    if (breaker !== null) this.#become(this.#learnt(outcome, detail, breaker), outcome === 'failure');
    this.#endpoint.underWay -= 1;
    if (this.#endpoint.isRetired && this.#endpoint.underWay === 0) this.#parts.whenUnused(this.#endpoint);
  }

  #learnt(outcome: AttemptResult, detail: string, breaker: CircuitBreakerRules): TargetEjection {
    const { ledger, isSparedLast } = this.#endpoint;
    if (outcome === 'success') return withSuccess(ledger.ejection, this.#period);
    if (outcome === 'neither') return withNothingLearnt(ledger.ejection, this.#period);
    const { clock, isLast } = this.#parts;
    const now = { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
    const isSpared = isSparedLast && isLast(this.#endpoint);
    return withFailure(ledger.ejection, this.#period, breaker, detail.slice(0, maximumError), now, isSpared);
  }

  /** A target that comes and goes from probe to probe is told of when it is first left alone, and when it is back. */
  #become(next: TargetEjection, hasFailed = false): void {
    const { ledger, text, names } = this.#endpoint;
    const { sinceMs } = ledger.ejection;
    ledger.ejection = next;
    if ((sinceMs === null) === (next.sinceMs === null)) return;
    const { logger, upstream } = this.#parts;
    const name = names.includes(text) ? {} : { name: names[0] as string };
    const fields = { upstream, target: text, ...name };
    if (next.sinceMs === null) logger.info(hasFailed ? sparedMessage : 'Target works again', fields);
    else logger.warn('Target fails too often and is left alone', { ...fields, error: next.lastError });
  }
}
