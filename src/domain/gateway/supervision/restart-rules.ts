/** A worker that served this long is well; what was before is forgotten. Milliseconds. */
const wellAfterMs = 10_000;
const firstDelayMs = 100;
const longestDelayMs = 30_000;
/** From here on the delay is the longest. */
const mostDoublings = Math.ceil(Math.log2(longestDelayMs / firstDelayMs));

/** Deaths of a worker, and of those that replaced it, one soon after the other. */
export interface RestartHistory {
  readonly youngDeaths: number;
}

export const noDeaths: RestartHistory = { youngDeaths: 0 };

/** When a worker is replaced. */
export interface Restart {
  readonly delayMs: number;
  readonly history: RestartHistory;
}

/**
 * What follows the death of a worker that served for so long; 0: it never did. At once the first time, then later and
 * later.
 */
export const restartAfter = ({ youngDeaths }: RestartHistory, servedMs: number): Restart => {
  if (servedMs >= wellAfterMs || youngDeaths === 0) return { delayMs: 0, history: { youngDeaths: 1 } };
  const doublings = Math.min(youngDeaths - 1, mostDoublings);
  return {
    delayMs: Math.min(longestDelayMs, firstDelayMs * 2 ** doublings),
    history: { youngDeaths: Math.min(youngDeaths + 1, mostDoublings + 1) },
  };
};
