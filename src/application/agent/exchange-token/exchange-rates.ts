import type { RateLimit } from '../../../domain/shared/token-bucket.js';
import type { RateLimitAnswer, RateLimitStore } from '../../ports/shared/rate-limit-store.js';
import type { RefusedExchange } from './exchange-facts.js';

/** Whom a rate is of. */
export type RatedParty = 'address' | 'client';

/**
 * The rates of token exchange of one agent: a bucket for each address group, and one for each client. They go on over
 * a reload, and are the same in all processes that share the store.
 */
export class ExchangeRates {
  readonly #store: Pick<RateLimitStore, 'take'>;
  readonly #agent: string;

  /** @param agent the name of an embedded agent; null: the agent's process has one alone */
  constructor(store: Pick<RateLimitStore, 'take'>, agent: string | null) {
    this.#store = store;
    this.#agent = agent ?? '';
  }

  /**
   * Null: let through. At once where the store answers at once. Where it cannot be asked nobody is let through. Never
   * rejects.
   */
  take(of: RatedParty, key: string, limit: RateLimit): RefusedExchange | null | Promise<RefusedExchange | null> {
    // No name of an agent has a line end.
    const charge = { space: `token-exchange-${of}`, key: `${this.#agent}\n${key}`, limit };
    const answer = this.#store.take([charge]);
    return answer instanceof Promise ? answer.then((late) => refusalOf(of, late)) : refusalOf(of, answer);
  }
}

const refusalOf = (of: RatedParty, answer: RateLimitAnswer): RefusedExchange | null => {
  switch (answer.kind) {
    case 'taken':
      return null;
    case 'refused':
      return { reason: 'rate_limited', detail: `of the ${of}`, retryAfterMs: answer.waitMs };
    case 'unavailable':
      return { reason: 'store_unavailable', detail: answer.detail, retryAfterMs: null };
  }
};
