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

/** What is done with requests that the store cannot be asked about. */
export type WithoutStore =
  /** They are judged by the buckets of another store, which always can be asked. */
  { readonly kind: 'local'; readonly store: RateLimitStore } | { readonly kind: 'allow' } | { readonly kind: 'deny' };

export type RateJudgement =
  | Exclude<RateLimitAnswer, { readonly kind: 'unavailable' }>
  /** Nobody could be asked: the request goes on, or it does not. */
  | { readonly kind: 'unjudged'; readonly isLetThrough: boolean };

export interface RateLimiterParts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A store that fails once is not waited for; then one request at a time tries it. */
const breakerRules: CircuitBreakerRules = { failureThreshold: 1, openMs: 1_000, probes: 1 };

const letThrough: RateJudgement = { kind: 'unjudged', isLetThrough: true };
const heldBack: RateJudgement = { kind: 'unjudged', isLetThrough: false };

/**
 * Takes tokens from a store, and knows what to do while it is away: a line is written when it goes and when it is
 * back.
 */
export class RateLimiter {
  readonly #store: RateLimitStore;
  readonly #withoutStore: WithoutStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #breaker: CircuitBreaker = closedBreaker;
  #isAway = false;

  constructor(store: RateLimitStore, withoutStore: WithoutStore, { clock, logger }: RateLimiterParts) {
    this.#store = store;
    this.#withoutStore = withoutStore;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Whether the store answered when it was last asked. */
  get isStoreUp(): boolean {
    return !this.#isAway;
  }

  /** Takes a token of every bucket, or of none. Answers at once where the store does; never rejects. */
  take(charges: readonly RateLimitCharge[]): RateJudgement | Promise<RateJudgement> {
    if (this.#breaker.state !== 'closed' && !this.#mayAsk()) return this.#judgeWithout(charges);
    const { period } = this.#breaker;
    const answer = this.#store.take(charges);
    if (!(answer instanceof Promise)) return this.#note(answer, period, charges);
    return answer.then((settled) => this.#note(settled, period, charges));
  }

  /** Asks the store without taking anything, so that the log says at once if it is away. */
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
  ): RateJudgement | Promise<RateJudgement> {
    // What was asked before the last change says nothing about the store of now.
    const isCurrent = period === this.#breaker.period;
    if (answer.kind !== 'unavailable') {
      if (isCurrent) this.#isBack();
      return answer;
    }
    if (isCurrent) this.#isGone(answer.detail);
    return this.#judgeWithout(charges);
  }

  #isBack(): void {
    this.#breaker = noteSuccess(this.#breaker);
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#logger.info('Rate limit store is back');
  }

  #isGone(reason: string): void {
    this.#breaker = noteFailure(this.#breaker, breakerRules, this.#clock.monotonicMs());
    if (this.#isAway) return;
    this.#isAway = true;
    this.#logger.warn('Rate limit store is away', { reason, on_store_failure: this.#withoutStore.kind });
  }

  #judgeWithout(charges: readonly RateLimitCharge[]): RateJudgement | Promise<RateJudgement> {
    if (this.#withoutStore.kind === 'allow') return letThrough;
    if (this.#withoutStore.kind === 'deny') return heldBack;
    const answer = this.#withoutStore.store.take(charges);
    return answer instanceof Promise ? answer.then(judged) : judged(answer);
  }
}

const judged = (answer: RateLimitAnswer): RateJudgement => (answer.kind === 'unavailable' ? heldBack : answer);
