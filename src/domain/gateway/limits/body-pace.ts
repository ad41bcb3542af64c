/** How slow the body of a request may be. */
export interface BodyPace {
  /** Octets a second; 0: as slow as it likes. */
  readonly minOctetsPerSecond: number;
  /** How long it may be behind, in milliseconds: what a body has at its begin, and the most that it can save up. */
  readonly graceMs: number;
}

/** How long a client may be waited for in all before the first of a body has come, in milliseconds. */
export const firstBodyWait = ({ minOctetsPerSecond, graceMs }: BodyPace): number =>
  minOctetsPerSecond === 0 ? Number.POSITIVE_INFINITY : graceMs;

/**
 * How long it may be waited for in all after a piece has come, in milliseconds. What comes quickly makes up for what
 * was slow, but saves up no more than the grace: otherwise a body that came at once but for its end could be held for
 * hours.
 *
 * @param leftMs how long it may have been waited for in all before the piece
 * @param waitedMs how long it was: not the time in which nobody wanted more of it
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
