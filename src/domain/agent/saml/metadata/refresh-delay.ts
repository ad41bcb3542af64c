import { neverFetched, nextAttemptDelayMs } from '../../tokens/key-set.js';

/** What the time of the next fetch depends on; spans in milliseconds. */
export interface MetadataRefresh {
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  /** The configured interval. */
  readonly refreshMs: number;
  /** How soon the metadata wants to be fetched again; null: it does not say. */
  readonly cacheDurationMs: number | null;
  /** How long the metadata still counts, 0 where there is none; null: without end. */
  readonly leftMs: number | null;
  /** A random number, at least 0 and below 1. */
  readonly fraction: number;
}

/** However short-lived metadata says it is, it is not fetched again sooner. */
export const shortestRefreshMs = 60_000;

/** While nothing is known nobody can sign on: there is an attempt at least this often. */
export const longestAbsenceMs = 30_000;

/**
 * The wait from the end of an attempt to fetch metadata to the next, in milliseconds: the interval, or sooner where
 * the metadata wants it or would be over; after failures as key sets are retried. Where the metadata may be over by
 * then, the attempt comes soon after that.
 */
export const refreshDelayMs = ({ failures, refreshMs, cacheDurationMs, leftMs, fraction }: MetadataRefresh): number => {
  const wantedMs = Math.min(cacheDurationMs ?? refreshMs, leftMs === null ? refreshMs : leftMs / 2);
  const intervalMs = Math.min(refreshMs, Math.max(wantedMs, shortestRefreshMs));
  const delayMs = nextAttemptDelayMs({ ...neverFetched, failures }, intervalMs, fraction);
  return leftMs === null ? delayMs : Math.min(delayMs, Math.max(leftMs, 0) + longestAbsenceMs);
};
