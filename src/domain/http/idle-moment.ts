/** Milliseconds. */
export interface DrainPace {
  /** How long a connection has to have been idle. */
  readonly lingerMs: number;
  /** Between two looks at the connections. */
  readonly lookMs: number;
}

/** Since when a connection has to have been idle to be ended with the first look of a drain; by the clock of `nowMs`. */
export const firstIdleMoment = (nowMs: number, { lingerMs }: DrainPace): number => nowMs - 2 * lingerMs;

/**
 * Since when, with the look that follows one of `lastMs`: it goes on by two looks at most. Where the machine or the process
 * stood still in between, or right before the drain, nobody could be heard: that is no silence of clients, whose requests
 * are on their way, and is not counted as such.
 */
export const nextIdleMoment = (lastMs: number, nowMs: number, { lingerMs, lookMs }: DrainPace): number =>
  Math.min(nowMs - lingerMs, lastMs + 2 * lookMs);
