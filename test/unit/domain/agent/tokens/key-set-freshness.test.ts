import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  afterRefetch,
  afterSuccess,
  firstRetryMs,
  keySetState,
  mayRefetch,
  neverFetched,
  nextAttemptDelayMs,
  refetchIntervalMs,
} from '../../../../../src/domain/agent/tokens/key-set.js';

const hour = 3_600_000;

describe('the freshness of a key set', () => {
  it('is absent until the first set, then fresh, stale after a failure, and fresh again', () => {
    const failed = afterFailure(neverFetched);
    const had = afterSuccess(failed);
    const stale = afterFailure(afterFailure(had));
    expect([neverFetched, failed, had, stale, afterSuccess(stale)].map(keySetState)).toEqual([
      'absent',
      'absent',
      'fresh',
      'stale',
      'fresh',
    ]);
  });

  it('allows one refetch, and the next after its interval, for any events between', () => {
    expect(mayRefetch(neverFetched, 0)).toBe(true);
    const refetched = afterFailure(afterSuccess(afterRefetch(neverFetched, 1_000)));
    expect(mayRefetch(refetched, 1_000)).toBe(false);
    expect(mayRefetch(refetched, 1_000 + refetchIntervalMs - 1)).toBe(false);
    expect(mayRefetch(refetched, 1_000 + refetchIntervalMs)).toBe(true);
  });

  it('schedules the next fetch after the interval, or with backoff up to five minutes after failures', () => {
    let freshness = afterSuccess(neverFetched);
    expect(nextAttemptDelayMs(freshness, hour, 0)).toBe(hour);
    const waits = Array.from({ length: 9 }, () => {
      freshness = afterFailure(freshness);
      return nextAttemptDelayMs(freshness, hour, 0) / 1000;
    });
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('never delays a retry longer than a refresh', () => {
    expect(nextAttemptDelayMs(afterFailure(neverFetched), 1_000, 0)).toBe(1_000);
    expect(nextAttemptDelayMs(afterFailure(neverFetched), hour, 0)).toBe(firstRetryMs);
  });
});
