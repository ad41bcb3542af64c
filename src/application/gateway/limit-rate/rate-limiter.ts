import {
  type CircuitBreaker,
  type CircuitBreakerRules,
  closedBreaker,
  mayCall,
  noteFailure,
  noteSuccess,
} from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { RateLimitAnswer, RateLimitCharge, RateLimitStore } from '../../ports/shared/rate-limit-store.js';

/** How requests are handled while the store is unavailable. */
export type StoreFailureMode =
  /** Another store, which is always available, decides. */
  { readonly kind: 'local'; readonly store: RateLimitStore } | { readonly kind: 'allow' } | { readonly kind: 'deny' };

export type RateDecision =
  | Exclude<RateLimitAnswer, { readonly kind: 'unavailable' }>
  /** No store could decide. `isAllowed`: the request continues; otherwise it is refused. */
  | { readonly kind: 'undecided'; readonly isAllowed: boolean };

/** After one failure, the store gets no request for `openMs`. Then one request at a time probes it. */
const breakerRules: CircuitBreakerRules = { failureThreshold: 1, openMs: 1_000, probes: 1 };

const allowed: RateDecision = { kind: 'undecided', isAllowed: true };
const denied: RateDecision = { kind: 'undecided', isAllowed: false };

/**
 * Takes tokens from a store, and decides without it while it is unavailable. Logs when the store becomes unavailable,
 * and when it is available again.
 */
export class RateLimiter {
  readonly #store: RateLimitStore;
  readonly #failureMode: StoreFailureMode;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #breaker: CircuitBreaker = closedBreaker;
  #isUnavailable = false;

  constructor(
    store: RateLimitStore,
    failureMode: StoreFailureMode,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#store = store;
    this.#failureMode = failureMode;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Whether the store answered the last time. */
  get isStoreUp(): boolean {
    return !this.#isUnavailable;
  }

  /** Takes a token from every bucket, or from none. Synchronous if the store is; never rejects. */
  take(charges: readonly RateLimitCharge[]): RateDecision | Promise<RateDecision> {
    if (this.#breaker.state !== 'closed' && !this.#mayAsk()) return this.#decideWithoutStore(charges);
    const { period } = this.#breaker;
    const answer = this.#store.take(charges);
    if (!(answer instanceof Promise)) return this.#note(answer, period, charges);
    return answer.then((settled) => this.#note(settled, period, charges));
  }

  /** Asks the store without taking tokens, so that the log shows at once if it is unavailable. */
  async check(): Promise<void> {
    await this.take([]);
  }

  #mayAsk(): boolean {
    const { state, allowed } = mayCall(this.#breaker, breakerRules, this.#clock.monotonicMs());
    this.#breaker = state;
    return allowed;
  }

  #note(
    answer: RateLimitAnswer,
    period: number,
    charges: readonly RateLimitCharge[],
  ): RateDecision | Promise<RateDecision> {
    // An answer to an earlier period does not count for the current state of the store.
    const isCurrent = period === this.#breaker.period;
    if (answer.kind !== 'unavailable') {
      if (isCurrent) this.#noteAvailable();
      return answer;
    }
    if (isCurrent) this.#noteUnavailable(answer.detail);
    return this.#decideWithoutStore(charges);
  }

  #noteAvailable(): void {
    this.#breaker = noteSuccess(this.#breaker);
    if (!this.#isUnavailable) return;
    this.#isUnavailable = false;
    this.#logger.info('Rate limit store is available again');
  }

  #noteUnavailable(reason: string): void {
    this.#breaker = noteFailure(this.#breaker, breakerRules, this.#clock.monotonicMs());
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    this.#logger.warn('Rate limit store is unavailable', { reason, on_store_failure: this.#failureMode.kind });
  }

  #decideWithoutStore(charges: readonly RateLimitCharge[]): RateDecision | Promise<RateDecision> {
    if (this.#failureMode.kind === 'allow') return allowed;
    if (this.#failureMode.kind === 'deny') return denied;
    const answer = this.#failureMode.store.take(charges);
    return answer instanceof Promise ? answer.then(decided) : decided(answer);
  }
}

const decided = (answer: RateLimitAnswer): RateDecision => (answer.kind === 'unavailable' ? denied : answer);
