/** Bounds of the wait before a connection to an agent is tried again, in milliseconds. */
export interface ReconnectBackoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

export const defaultReconnectBackoff: ReconnectBackoff = { firstMs: 100, longestMs: 5_000 };

/**
 * The wait before attempt number `failures + 1`: doubles with each failure up to the longest, then between half of that
 * and all of it, so that the connections of many gateways do not come back at the same moment.
 *
 * @param failures attempts that failed since the last success, at least 0
 * @param fraction a random number, at least 0 and below 1
 */
export const reconnectDelayMs = (failures: number, fraction: number, backoff: ReconnectBackoff): number => {
  const doubled = backoff.firstMs * 2 ** Math.min(failures, 30);
  const ceiling = Math.min(doubled, backoff.longestMs);
  return ceiling / 2 + (ceiling / 2) * fraction;
};
