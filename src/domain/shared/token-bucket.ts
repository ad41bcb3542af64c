/** Allows `burst` requests at once and `requestsPerSecond` sustained. The rate is above 0, the burst at least 1. */
export interface RateLimit {
  readonly requestsPerSecond: number;
  readonly burst: number;
}

/** The state of a bucket. */
export interface TokenBucket {
  /** From 0 to the burst, with fractions. */
  readonly tokens: number;
  /** Time of `tokens`, in milliseconds of the caller's clock. */
  readonly atMs: number;
}

/** The result of taking a token. */
export interface TakenToken {
  readonly bucket: TokenBucket;
  /** Null: a token was taken. Otherwise the milliseconds until one is available, rounded up. */
  readonly waitMs: number | null;
}

/** Sums of fractions fall short of the exact value by less than this. */
const roundingError = 1e-9;

/**
 * Tokens in a bucket that refills at the rate, up to the burst. A clock that goes back adds no tokens until it passes
 * its earlier value.
 *
 * @param bucket null: an unused bucket
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

/** Whether a token is available. */
export const hasToken = (tokens: number): boolean => tokens >= 1 - roundingError;

/** The tokens that remain after taking one. */
export const withoutToken = (tokens: number): number => Math.max(0, tokens - 1);

/**
 * Takes a token if one is available.
 *
 * @param bucket null: an unused bucket
 */
export const takeToken = (bucket: TokenBucket | null, limit: RateLimit, nowMs: number): TakenToken => {
  const atMs = bucket === null ? nowMs : Math.max(bucket.atMs, nowMs);
  const tokens = tokensAt(bucket, limit, nowMs);
  if (hasToken(tokens)) return { bucket: { tokens: withoutToken(tokens), atMs }, waitMs: null };
  // A clock behind the bucket must first catch up.
  const waitMs = Math.ceil(((1 - tokens) * 1000) / limit.requestsPerSecond + atMs - nowMs);
  return { bucket: { tokens, atMs }, waitMs };
};

/** When a bucket is full if no token is taken until then, on the clock of `atMs`. */
export const fullAtMs = ({ tokens, atMs }: TokenBucket, { requestsPerSecond, burst }: RateLimit): number =>
  atMs + (Math.max(0, burst - tokens) * 1000) / requestsPerSecond;
