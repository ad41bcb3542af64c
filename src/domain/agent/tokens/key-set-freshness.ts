/** How well the keys of a provider are known. */
export type KeySetState =
  /** The last attempt brought a set. */
  | 'fresh'
  /** The last attempt failed; the last good set serves. */
  | 'stale'
  /** There has never been a set. */
  | 'absent';

/** What the next attempt to get a key set depends on. */
export interface KeySetFreshness {
  readonly hasKeys: boolean;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  /** When a set was last fetched for the sake of an unknown key, on the monotonic clock; null: never. */
  readonly refetchedAtMs: number | null;
}

/** Between two fetches for the sake of an unknown key, at the least: anybody can make up a `kid`. */
export const refetchIntervalMs = 30_000;
/** Before the first retry of a fetch that failed; it doubles with each failure. */
export const firstRetryMs = 5_000;
/** Before any retry, at the most. */
export const longestRetryMs = 300_000;
/** The part of a delay that is left to chance, so that many agents do not ask their provider at one moment. */
const spread = 0.1;

export const neverFetched: KeySetFreshness = { hasKeys: false, failures: 0, refetchedAtMs: null };

export const keySetState = ({ hasKeys, failures }: KeySetFreshness): KeySetState => {
  if (!hasKeys) return 'absent';
  return failures === 0 ? 'fresh' : 'stale';
};

/** Whether a set may be fetched now for the sake of a key that it does not have. Plain refreshes do not count. */
export const mayRefetch = ({ refetchedAtMs }: KeySetFreshness, nowMs: number): boolean =>
  refetchedAtMs === null || nowMs - refetchedAtMs >= refetchIntervalMs;

export const afterRefetch = (freshness: KeySetFreshness, nowMs: number): KeySetFreshness => ({
  ...freshness,
  refetchedAtMs: nowMs,
});

export const afterSuccess = (freshness: KeySetFreshness): KeySetFreshness => ({
  ...freshness,
  hasKeys: true,
  failures: 0,
});

export const afterFailure = (freshness: KeySetFreshness): KeySetFreshness => ({
  ...freshness,
  failures: freshness.failures + 1,
});

/**
 * The wait from the end of an attempt to the next, in milliseconds: the refresh interval, or, after failures, what doubles
 * from `firstRetryMs` to `longestRetryMs` but is never longer than the interval. Up to a tenth of it is left out by chance.
 *
 * @param fraction a random number, at least 0 and below 1
 */
export const nextAttemptDelayMs = ({ failures }: KeySetFreshness, refreshMs: number, fraction: number): number => {
  const doubled = firstRetryMs * 2 ** Math.min(failures - 1, 30);
  const wholeMs = failures === 0 ? refreshMs : Math.min(doubled, longestRetryMs, refreshMs);
  return wholeMs * (1 - spread * fraction);
};
