import { type RateLimit, type TokenBucket, takeToken, tokensAt } from '../../shared/token-bucket.js';

/** What taking from several buckets at once came to. */
export type TakenTokens =
  /** A token was taken of each; how each bucket stands now, in the order in which they were given. */
  | { readonly kind: 'taken'; readonly buckets: readonly TokenBucket[] }
  /**
   * All stay as they were. `refusedBy`: index of the one that lacks a token for longest; `waitMs`: until it has one.
   * `left`: the tokens in each at this moment.
   */
  | { readonly kind: 'refused'; readonly refusedBy: number; readonly waitMs: number; readonly left: readonly number[] };

/**
 * Takes a token of every bucket, or of none: what one limit refuses costs nothing of the others.
 *
 * @param buckets null: one that nothing has been taken from. None is given twice.
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
