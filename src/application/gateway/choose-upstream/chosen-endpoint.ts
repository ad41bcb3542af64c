import type { AttemptOutcome } from '../../../domain/gateway/circuit-breaking/failure-classification.js';
import type { TargetClient } from '../../ports/gateway/upstream-client.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ChosenTarget } from './chosen-target.js';
import type { Endpoint } from './endpoint.js';

/** The upstream of a chosen endpoint. */
export interface EndpointOwner {
  readonly upstream: string;
  readonly logger: Logger;
  /** Whether no other target accepts requests. */
  readonly isLast: (endpoint: Endpoint) => boolean;
  /** Called when the last exchange with a retired endpoint has ended. */
  readonly whenUnused: (endpoint: Endpoint) => void;
}

/** Log message when an ejected target gets requests because there is no other. */
export const sparedMessage = 'Target gets requests again, because there is no other';

/** The most characters of an error that are kept. */
const maximumError = 200;

/** A choice of an endpoint for one request. It counts as active until `ended`. */
export class ChosenEndpoint implements ChosenTarget {
  readonly kind = 'chosen';
  readonly #endpoint: Endpoint;
  readonly #owner: EndpointOwner;
  /** The period of the breaker in which the request counts. */
  #period: number;
  #isOver = false;

  constructor(
    endpoint: Endpoint,
    readonly responseHeaders: readonly string[],
    owner: EndpointOwner,
  ) {
    this.#endpoint = endpoint;
    this.#owner = owner;
    const { ledger } = endpoint;
    endpoint.underWay += 1;
    ledger.active += 1;
    ledger.totalRequests += 1;
    const { breaker } = ledger;
    this.#period = breaker.admit() ?? breaker.period;
  }

  get address(): string {
    return this.#endpoint.text;
  }

  get client(): TargetClient {
    return this.#endpoint.client;
  }

  answered(): void {
    if (this.#isOver) return;
    const { ledger } = this.#endpoint;
    const { ejectedSinceMs } = ledger;
    // The rest of the exchange counts in the new period.
    this.#period = ledger.breaker.answeredOnTrial(this.#period);
    if (ledger.ejectedSinceMs !== ejectedSinceMs) this.#logChange('Target works again');
  }

  ended(outcome: AttemptOutcome, detail = 'failed'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const endpoint = this.#endpoint;
    const { ledger } = endpoint;
    ledger.active -= 1;
    if (outcome === 'failure') this.#failed(detail.slice(0, maximumError));
    else {
      const { ejectedSinceMs } = ledger;
      ledger.breaker.ended(this.#period, outcome);
      if (ledger.ejectedSinceMs !== ejectedSinceMs) this.#logChange('Target works again');
    }
    endpoint.underWay -= 1;
    if (endpoint.isRetired && endpoint.underWay === 0) this.#owner.whenUnused(endpoint);
  }

  #failed(error: string): void {
    const { ledger, isSparedLast } = this.#endpoint;
    const { breaker, ejectedSinceMs } = ledger;
    ledger.failedRequests += 1;
    const isSpared = isSparedLast && this.#owner.isLast(this.#endpoint);
    const counts = isSpared
      ? breaker.failedWithoutAlternative(this.#period)
      : breaker.ended(this.#period, 'failure', error);
    if (counts) ledger.lastError = error;
    if ((ledger.ejectedSinceMs === null) !== (ejectedSinceMs === null)) this.#logChange(sparedMessage);
  }

  /** Logs a target when it is first ejected and when it works again, not for each failed probe. */
  #logChange(backMessage: string): void {
    const { ledger, text, names } = this.#endpoint;
    const { logger, upstream } = this.#owner;
    const name = names.includes(text) ? {} : { name: names[0] as string };
    const fields = { upstream, target: text, ...name };
    if (ledger.ejectedSinceMs === null) logger.info(backMessage, fields);
    else logger.warn('Target ejected after too many failures', { ...fields, error: ledger.lastError });
  }
}
