import type { RateLimit } from '../../../domain/shared/token-bucket.js';
import type { RateLimitAnswer, RateLimitStore } from '../../ports/shared/rate-limit-store.js';
import type { RefusedExchange } from './exchange-record.js';

/** The party that a rate limits. */
export type RatedParty = 'address' | 'client';

/**
 * The rate limits of token exchange: a bucket per address group and one per client. Buckets survive a reload, and all
 * processes that use the store share them.
 */
export class ExchangeRates {
  readonly #store: Pick<RateLimitStore, 'take'>;
  readonly #agent: string;

  /** @param agent the name of an embedded agent; null: the only agent of the process */
  constructor(store: Pick<RateLimitStore, 'take'>, agent: string | null) {
    this.#store = store;
    this.#agent = agent ?? '';
  }

  /** Null: within the limit. Synchronous if the store is. If the store is unavailable, fails closed. Never rejects. */
  take(of: RatedParty, key: string, limit: RateLimit): RefusedExchange | null | Promise<RefusedExchange | null> {
    // Agent names contain no line end.
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
