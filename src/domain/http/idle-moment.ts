/** Milliseconds. */
export interface DrainPace {
  /** Minimum idle time of a connection before the drain closes it. */
  readonly lingerMs: number;
  /** Interval between two checks of the connections. */
  readonly lookMs: number;
}

/** The first check of a drain closes connections that are idle since this time. Same clock as `nowMs`. */
export const firstIdleMoment = (nowMs: number, { lingerMs }: DrainPace): number => nowMs - 2 * lingerMs;

/**
 * The idle limit of the check after `lastMs`. It advances by at most two check intervals.
 * A process that was suspended has received no requests in the meantime. That pause does not count as idle
 * time.
 */
export const nextIdleMoment = (lastMs: number, nowMs: number, { lingerMs, lookMs }: DrainPace): number =>
  Math.min(nowMs - lingerMs, lastMs + 2 * lookMs);
