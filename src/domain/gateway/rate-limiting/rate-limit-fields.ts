import { type HeaderList, noHeaders } from '../../http/header-list.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import { ownText } from '../../shared/utf8.js';

/** How one limit stands for the client that is told. */
export interface AdvertisedRateLimit {
  /** Lower-case letters and hyphens. */
  readonly name: string;
  readonly limit: RateLimit;
  /** Tokens in the bucket, fractions included. */
  readonly left: number;
  /** Null: it did not refuse the request. Otherwise the milliseconds until it would not. */
  readonly waitMs: number | null;
}

/** What fits into 31 bits: more is not understood everywhere (RFC 9111, section 1.2.2). */
const mostSeconds = 2_147_483_647;

const seconds = (ms: number): number => Math.min(mostSeconds, Math.max(1, Math.ceil(ms / 1000)));

/** Value of Retry-After (RFC 9110, section 10.2.3): whole seconds, at least one, never too few. */
export const retryAfter = (waitMs: number): string => String(seconds(waitMs));

/** Milliseconds in which so many tokens come. */
const fillingMs = (tokens: number, { requestsPerSecond }: RateLimit): number => (tokens * 1000) / requestsPerSecond;

/** `q` is the burst, `w` the time in which an empty bucket is full. */
const policyItem = ({ name, limit }: Pick<AdvertisedRateLimit, 'name' | 'limit'>): string =>
  `"${name}";q=${limit.burst};w=${seconds(fillingMs(limit.burst, limit))}`;

/** Whole tokens. */
const wholeTokens = (left: number): number => Math.floor(left + 1e-9);

/**
 * Seconds until the bucket is full; until it has a token, where it has none. @param remaining whole tokens of those
 * that are left
 */
const untilBetter = (limit: RateLimit, left: number, remaining: number): number =>
  seconds(fillingMs((remaining === 0 ? 1 : limit.burst) - left, limit));

/**
 * `t` is the time until the bucket is full; of one without a token, until it has one: what Retry-After says, where it
 * refused.
 */
const serviceText = (name: string, limit: RateLimit, left: number, waitMs: number | null): string => {
  const remaining = waitMs === null ? wholeTokens(left) : 0;
  return `"${name}";r=${remaining};t=${waitMs === null ? untilBetter(limit, left, remaining) : seconds(waitMs)}`;
};

const serviceItem = ({ name, limit, left, waitMs }: AdvertisedRateLimit): string =>
  serviceText(name, limit, left, waitMs);

/**
 * The fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10): lists, each limit an item of
 * both.
 */
export const rateLimitFields = (told: readonly AdvertisedRateLimit[]): HeaderList => {
  if (told.length === 0) return noHeaders;
  return ['RateLimit-Policy', told.map(policyItem).join(', '), 'RateLimit', told.map(serviceItem).join(', ')];
};

/** A limit as far as clients may be told of it. */
export interface AdvertisableRateLimit extends Pick<AdvertisedRateLimit, 'name' | 'limit'> {
  readonly isTold: boolean;
}

/** One limit, as it was told of last: most clients leave their bucket as full as they have found it. */
class ToldLast {
  readonly #start: string;
  #remaining = -1;
  #until = -1;
  /** What was said of it. */
  text = '';

  constructor(
    name: string,
    readonly limit: RateLimit,
    /** Among all limits. */
    readonly place: number,
  ) {
    this.#start = `"${name}";r=`;
  }

  /** Whether the same is to be said of it as last time; else `text` is another one from now on. */
  stays(left: number): boolean {
    const remaining = wholeTokens(left);
    const until = untilBetter(this.limit, left, remaining);
    if (remaining === this.#remaining && until === this.#until) return true;
    this.#remaining = remaining;
    this.#until = until;
    this.text = `${this.#start}${remaining};t=${until}`;
    return false;
  }
}

/**
 * Makes `rateLimitFields` for requests that no limit refuses: which limits they tell of is the same for each. What is
 * given back takes the tokens that each of `limits` has left.
 */
export const takenRateLimitFields = (
  limits: readonly AdvertisableRateLimit[],
): ((left: readonly number[]) => HeaderList) => {
  const told = limits.flatMap(({ name, limit, isTold }, place) => (isTold ? [new ToldLast(name, limit, place)] : []));
  if (told.length === 0) return () => noHeaders;
  const policy = ownText(
    limits
      .filter(({ isTold }) => isTold)
      .map(policyItem)
      .join(', '),
  );
  let last = noHeaders;
  let isRepeated = false;
  return (left) => {
    let isSame = last !== noHeaders;
    for (const each of told) if (!each.stays(left[each.place] as number)) isSame = false;
    if (!isSame) {
      let service = '';
      for (const { text } of told) service = service === '' ? text : `${service}, ${text}`;
      last = ['RateLimit-Policy', policy, 'RateLimit', service];
      isRepeated = false;
    } else if (!isRepeated) {
      // It is worth to be in one piece: the next ones may be told the same.
      last = ['RateLimit-Policy', policy, 'RateLimit', ownText(last[3] as string)];
      isRepeated = true;
    }
    return last;
  };
};
