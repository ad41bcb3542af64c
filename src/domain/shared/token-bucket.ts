/**
 * How much is let through: `burst` at once, and `requestsPerSecond` for as long as it lasts. The rate is above 0, the
 * burst at least 1.
 */
export interface RateLimit {
  readonly requestsPerSecond: number;
  readonly burst: number;
}

/** What is left for somebody. */
export interface TokenBucket {
  /** From 0 to the burst, fractions included. */
  readonly tokens: number;
  /** When it was so; milliseconds of whatever clock the caller has. */
  readonly atMs: number;
}

/** What taking came to. */
export interface TakenToken {
  readonly bucket: TokenBucket;
  /** Null: it was taken. Otherwise the milliseconds until one is there, rounded up. */
  readonly waitMs: number | null;
}

/** Sums of fractions fall short of the whole by less than this. */
const roundingError = 1e-9;

/**
 * Tokens in a bucket that fills by the rate up to the burst. A clock that goes back gives nothing, and neither does
 * the time until it is again where it was.
 *
 * @param bucket null: one that nothing has been taken from
 */
export const tokensAt = (
  bucket: TokenBucket | null,
  { requestsPerSecond, burst }: RateLimit,
  nowMs: number,
): number => {
  if (bucket === null) return burst;
  const { tokens, atMs } = bucket;
  return nowMs > atMs ? Math.min(burst, tokens + ((nowMs - atMs) * requestsPerSecond) / 1000) : Math.min(burst, tokens);
};

/** Whether one of so many can be taken. */
export const hasToken = (tokens: number): boolean => tokens >= 1 - roundingError;

/** What is left of so many once one has been taken. */
export const withoutToken = (tokens: number): number => Math.max(0, tokens - 1);

/**
 * Takes one token from a bucket, where it has one.
 *
 * @param bucket null: one that nothing has been taken from
 */
export const takeToken = (bucket: TokenBucket | null, limit: RateLimit, nowMs: number): TakenToken => {
  const atMs = bucket === null ? nowMs : Math.max(bucket.atMs, nowMs);
  const tokens = tokensAt(bucket, limit, nowMs);
  if (hasToken(tokens)) return { bucket: { tokens: withoutToken(tokens), atMs }, waitMs: null };
  // A clock that stands before the bucket has that way to go first.
  const waitMs = Math.ceil(((1 - tokens) * 1000) / limit.requestsPerSecond + atMs - nowMs);
  return { bucket: { tokens, atMs }, waitMs };
};

/** When a bucket that nothing more is taken from is full; of the clock that it was filled by. */
export const fullAtMs = ({ tokens, atMs }: TokenBucket, { requestsPerSecond, burst }: RateLimit): number =>
  atMs + (Math.max(0, burst - tokens) * 1000) / requestsPerSecond;
