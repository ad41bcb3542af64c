import { neverFetched, nextAttemptDelayMs } from '../../tokens/key-set.js';

/** What determines the next fetch of metadata; durations in milliseconds. */
export interface MetadataRefresh {
  /** Consecutive failed fetches. */
  readonly failures: number;
  /** The configured interval. */
  readonly refreshMs: number;
  /** The cacheDuration of the metadata; null: absent. */
  readonly cacheDurationMs: number | null;
  /** The remaining validity of the metadata, 0 without metadata; null: unlimited. */
  readonly leftMs: number | null;
  /** A random number, at least 0 and below 1. */
  readonly fraction: number;
}

/** Minimum interval of fetches, even for short-lived metadata. */
export const shortestRefreshMs = 60_000;

/** Maximum interval of fetches without metadata, because no user can sign on. */
export const maximumRetryMs = 30_000;

/**
 * The delay from the end of a metadata fetch to the next, in milliseconds: the interval, or less if the metadata
 * demands it or expires earlier. After failures, retries follow the rule for key sets. If the metadata may expire
 * before a fetch, the fetch follows soon after its expiry.
 */
export const refreshDelayMs = ({ failures, refreshMs, cacheDurationMs, leftMs, fraction }: MetadataRefresh): number => {
  const wantedMs = Math.min(cacheDurationMs ?? refreshMs, leftMs === null ? refreshMs : leftMs / 2);
  const intervalMs = Math.min(refreshMs, Math.max(wantedMs, shortestRefreshMs));
  const delayMs = nextAttemptDelayMs({ ...neverFetched, failures }, intervalMs, fraction);
  return leftMs === null ? delayMs : Math.min(delayMs, Math.max(leftMs, 0) + maximumRetryMs);
};
