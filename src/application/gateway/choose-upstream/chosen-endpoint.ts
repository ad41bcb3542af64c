import type { AttemptOutcome } from '../../../domain/gateway/circuit-breaking/failure-classification.js';
import type { TargetClient } from '../../ports/gateway/upstream-client.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ChosenTarget } from './chosen-target.js';
import type { Endpoint } from './endpoint.js';

/** What the end of an exchange needs. */
export interface ChoiceParts {
  readonly upstream: string;
  readonly logger: Logger;
  /** Whether no other target would take requests. */
  readonly isLast: (endpoint: Endpoint) => boolean;
  /** The last exchange with an endpoint that is retired is over. */
  readonly whenUnused: (endpoint: Endpoint) => void;
}

/** Logged when a failing target gets requests because there is no other. */
export const sparedMessage = 'Target gets requests again: there is no other';

/** Characters of an error that are kept. */
const maximumError = 200;

/** A request is about to be sent to an endpoint. It is counted from now until it has ended. */
export class ChosenEndpoint implements ChosenTarget {
  readonly kind = 'chosen';
  readonly #endpoint: Endpoint;
  readonly #parts: ChoiceParts;
  /** Of the breaker since the request was sent. */
  #period: number;
  #isOver = false;

  constructor(
    endpoint: Endpoint,
    readonly responseHeaders: readonly string[],
    parts: ChoiceParts,
  ) {
    this.#endpoint = endpoint;
    this.#parts = parts;
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
    // The rest of the exchange counts in the period that begins here.
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
    if (endpoint.isRetired && endpoint.underWay === 0) this.#parts.whenUnused(endpoint);
  }

  #failed(error: string): void {
    const { ledger, isSparedLast } = this.#endpoint;
    const { breaker, ejectedSinceMs } = ledger;
    ledger.failedRequests += 1;
    const isSpared = isSparedLast && this.#parts.isLast(this.#endpoint);
    const counts = isSpared
      ? breaker.failedWithoutAlternative(this.#period)
      : breaker.ended(this.#period, 'failure', error);
    if (counts) ledger.lastError = error;
    if ((ledger.ejectedSinceMs === null) !== (ejectedSinceMs === null)) this.#logChange(sparedMessage);
  }

  /** A target that fails from probe to probe is logged when it is first ejected and when it is back. */
  #logChange(backMessage: string): void {
    const { ledger, text, names } = this.#endpoint;
    const { logger, upstream } = this.#parts;
    const name = names.includes(text) ? {} : { name: names[0] as string };
    const fields = { upstream, target: text, ...name };
    if (ledger.ejectedSinceMs === null) logger.info(backMessage, fields);
    else logger.warn('Target fails too often and is left alone', { ...fields, error: ledger.lastError });
  }
}
