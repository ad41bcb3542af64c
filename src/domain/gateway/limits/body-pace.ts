/** The minimum rate of a request body. */
export interface BodyPace {
  /** Octets per second; 0: no minimum. */
  readonly minOctetsPerSecond: number;
  /** Grace period in milliseconds: the initial credit of a body, and the largest credit. */
  readonly graceMs: number;
}

/** Total time to wait for the first part of a body, in milliseconds. */
export const firstBodyWait = ({ minOctetsPerSecond, graceMs }: BodyPace): number =>
  minOctetsPerSecond === 0 ? Number.POSITIVE_INFINITY : graceMs;

/**
 * Total time to wait after a chunk, in milliseconds. Fast chunks add credit, but never more than the grace period.
 * Otherwise a client could send most of a body at once and hold the end for hours.
 *
 * @param leftMs remaining time before the chunk
 * @param waitedMs time spent waiting, without pauses by the gateway
 */
export const nextBodyWait = (
  leftMs: number,
  waitedMs: number,
  octets: number,
  { minOctetsPerSecond, graceMs }: BodyPace,
): number => {
  if (minOctetsPerSecond === 0) return Number.POSITIVE_INFINITY;
  return Math.min(graceMs, Math.max(0, leftMs - waitedMs) + (octets * 1_000) / minOctetsPerSecond);
};
