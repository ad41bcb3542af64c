import { type HeaderList, noHeaders } from '../../http/header-list.js';
import type { RateLimit } from '../../shared/token-bucket.js';
import { ownText } from '../../shared/utf8.js';

/** The state of one limit for a client. */
export interface AdvertisedRateLimit {
  /** Lower-case letters and hyphens. */
  readonly name: string;
  readonly limit: RateLimit;
  /** Tokens in the bucket, with fractions. */
  readonly left: number;
  /** Null: it did not refuse the request. Otherwise the milliseconds until it would allow it. */
  readonly waitMs: number | null;
}

/** The largest 31-bit value: not every recipient understands more (RFC 9111, section 1.2.2). */
const mostSeconds = 2_147_483_647;

const seconds = (ms: number): number => Math.min(mostSeconds, Math.max(1, Math.ceil(ms / 1000)));

/** Value of Retry-After (RFC 9110, section 10.2.3): whole seconds, rounded up, at least one. */
export const retryAfter = (waitMs: number): string => String(seconds(waitMs));

/** Milliseconds until `tokens` tokens arrive. */
const fillingMs = (tokens: number, { requestsPerSecond }: RateLimit): number => (tokens * 1000) / requestsPerSecond;

/** `q` is the burst, `w` the time to fill an empty bucket. */
const policyItem = ({ name, limit }: Pick<AdvertisedRateLimit, 'name' | 'limit'>): string =>
  `"${name}";q=${limit.burst};w=${seconds(fillingMs(limit.burst, limit))}`;

/** Whole tokens. */
const wholeTokens = (left: number): number => Math.floor(left + 1e-9);

/** Seconds until the bucket is full, or until it has a token if it has none. @param remaining whole tokens left */
const untilBetter = (limit: RateLimit, left: number, remaining: number): number =>
  seconds(fillingMs((remaining === 0 ? 1 : limit.burst) - left, limit));

/**
 * `t` is the time until the bucket is full, or until it has a token if it has none. After a refusal it equals
 * Retry-After.
 */
const serviceText = (name: string, limit: RateLimit, left: number, waitMs: number | null): string => {
  const remaining = waitMs === null ? wholeTokens(left) : 0;
  return `"${name}";r=${remaining};t=${waitMs === null ? untilBetter(limit, left, remaining) : seconds(waitMs)}`;
};

const serviceItem = ({ name, limit, left, waitMs }: AdvertisedRateLimit): string =>
  serviceText(name, limit, left, waitMs);

/**
 * The fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10). Each limit is an item of both
 * lists.
 */
export const rateLimitFields = (advertised: readonly AdvertisedRateLimit[]): HeaderList => {
  if (advertised.length === 0) return noHeaders;
  return [
    'RateLimit-Policy',
    advertised.map(policyItem).join(', '),
    'RateLimit',
    advertised.map(serviceItem).join(', '),
  ];
};

/** A limit that responses may advertise. */
export interface AdvertisableRateLimit extends Pick<AdvertisedRateLimit, 'name' | 'limit'> {
  readonly isAdvertised: boolean;
}

/** The last advertised state of one limit. Most responses repeat it. */
class ToldLast {
  readonly #start: string;
  #remaining = -1;
  #until = -1;
  /** The advertised text. */
  text = '';

  constructor(
    name: string,
    readonly limit: RateLimit,
    /** Index among all limits. */
    readonly place: number,
  ) {
    this.#start = `"${name}";r=`;
  }

  /** Whether the text is unchanged; otherwise updates `text`. */
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
 * Prepares `rateLimitFields` for requests that no limit refuses, which all advertise the same limits. The returned
 * function takes the tokens left in each of `limits`.
 */
export const takenRateLimitFields = (
  limits: readonly AdvertisableRateLimit[],
): ((left: readonly number[]) => HeaderList) => {
  const advertised = limits.flatMap(({ name, limit, isAdvertised }, place) =>
    isAdvertised ? [new ToldLast(name, limit, place)] : [],
  );
  if (advertised.length === 0) return () => noHeaders;
  const policy = ownText(
    limits
      .filter(({ isAdvertised }) => isAdvertised)
      .map(policyItem)
      .join(', '),
  );
  let last = noHeaders;
  let isRepeated = false;
  return (left) => {
    let isSame = last !== noHeaders;
    for (const each of advertised) if (!each.stays(left[each.place] as number)) isSame = false;
    if (!isSame) {
      let service = '';
      for (const { text } of advertised) service = service === '' ? text : `${service}, ${text}`;
      last = ['RateLimit-Policy', policy, 'RateLimit', service];
      isRepeated = false;
    } else if (!isRepeated) {
      // Flatten the text once it repeats, because later responses may reuse it.
      last = ['RateLimit-Policy', policy, 'RateLimit', ownText(last[3] as string)];
      isRepeated = true;
    }
    return last;
  };
};
