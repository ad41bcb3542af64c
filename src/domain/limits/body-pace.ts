/** How slow the body of a request may be. */
export interface BodyPace {
  /** Octets a second, on average over the time that was waited for the client; 0: as slow as it likes. */
  readonly minOctetsPerSecond: number;
  /** Waiting in all that nothing is asked for, in milliseconds. */
  readonly graceMs: number;
}

/**
 * How long a client may be waited for from now on until more of the body has come, in milliseconds; 0 where it has come
 * too slowly already.
 *
 * @param octets what has come of the body
 * @param waitedMs what was waited for the client since the body began: not the time in which nobody wanted more of it
 */
export const bodyWaitLeft = (octets: number, waitedMs: number, { minOctetsPerSecond, graceMs }: BodyPace): number => {
  if (minOctetsPerSecond === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.max(graceMs, (octets * 1_000) / minOctetsPerSecond) - waitedMs);
};
