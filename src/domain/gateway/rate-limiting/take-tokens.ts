import { type RateLimit, type TokenBucket, takeToken, tokensAt } from '../../shared/token-bucket.js';

/** The result of taking from several buckets at once. */
export type TakenTokens =
  /** One token was taken from each; the new states are in the given order. */
  | { readonly kind: 'taken'; readonly buckets: readonly TokenBucket[] }
  /**
   * All buckets are unchanged. `refusedBy`: index of the bucket with the longest wait; `waitMs`: until it has a token.
   * `left`: current tokens in each.
   */
  | { readonly kind: 'refused'; readonly refusedBy: number; readonly waitMs: number; readonly left: readonly number[] };

/**
 * Takes a token from every bucket or from none, so that a refusal costs no tokens.
 *
 * @param buckets distinct buckets; null: unused
 * @param charges the limit of each bucket, in the same order
 */
export const takeTokens = (
  buckets: readonly (TokenBucket | null)[],
  charges: readonly { readonly limit: RateLimit }[],
  nowMs: number,
): TakenTokens => {
  const taken: TokenBucket[] = [];
  let refusedBy = -1;
  let longestMs = 0;
  for (let index = 0; index < charges.length; index += 1) {
    const { limit } = charges[index] as { readonly limit: RateLimit };
    const { bucket, waitMs } = takeToken(buckets[index] ?? null, limit, nowMs);
    taken.push(bucket);
    if (waitMs === null || waitMs <= longestMs) continue;
    refusedBy = index;
    longestMs = waitMs;
  }
  if (refusedBy < 0) return { kind: 'taken', buckets: taken };
  const left = charges.map(({ limit }, index) => tokensAt(buckets[index] ?? null, limit, nowMs));
  return { kind: 'refused', refusedBy, waitMs: longestMs, left };
};
