/** Bounds of the delay before a reconnect to an agent, in milliseconds. */
export interface ReconnectBackoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

export const defaultReconnectBackoff: ReconnectBackoff = { firstMs: 100, longestMs: 5_000 };

/**
 * The delay before attempt `failures + 1`. It doubles with each failure up to the longest. The result is between half
 * of it and all of it, so that many gateways do not reconnect at once.
 *
 * @param failures failed attempts since the last success, at least 0
 * @param fraction a random number, at least 0 and below 1
 */
export const reconnectDelayMs = (failures: number, fraction: number, backoff: ReconnectBackoff): number => {
  const doubled = backoff.firstMs * 2 ** Math.min(failures, 30);
  const ceiling = Math.min(doubled, backoff.longestMs);
  return ceiling / 2 + (ceiling / 2) * fraction;
};
