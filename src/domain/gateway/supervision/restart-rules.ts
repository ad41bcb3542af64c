/** After serving this long, in milliseconds, earlier deaths no longer count. */
const wellAfterMs = 10_000;
const firstDelayMs = 100;
const longestDelayMs = 30_000;
/** From this count on, the delay is the longest. */
const mostDoublings = Math.ceil(Math.log2(longestDelayMs / firstDelayMs));

/** Quick successive deaths of a worker and its replacements. */
export interface RestartHistory {
  readonly youngDeaths: number;
}

export const noDeaths: RestartHistory = { youngDeaths: 0 };

/** The delay before a replacement. */
export interface Restart {
  readonly delayMs: number;
  readonly history: RestartHistory;
}

/**
 * The restart after the death of a worker that served for `servedMs` (0: never). The first restart is immediate; then
 * the delay doubles.
 */
export const restartAfter = ({ youngDeaths }: RestartHistory, servedMs: number): Restart => {
  if (servedMs >= wellAfterMs || youngDeaths === 0) return { delayMs: 0, history: { youngDeaths: 1 } };
  const doublings = Math.min(youngDeaths - 1, mostDoublings);
  return {
    delayMs: Math.min(longestDelayMs, firstDelayMs * 2 ** doublings),
    history: { youngDeaths: Math.min(youngDeaths + 1, mostDoublings + 1) },
  };
};
