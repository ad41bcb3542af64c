import { describe, expect, it } from 'vitest';
import { takeTokens } from '../../../../../src/domain/gateway/rate-limiting/take-tokens.js';

const limit = { requestsPerSecond: 2, burst: 3 };
const slow = { requestsPerSecond: 1, burst: 1 };

describe('tokens of several buckets', () => {
  it('are all taken if every bucket has one', () => {
    expect(takeTokens([null, { tokens: 0.5, atMs: 0 }], [{ limit }, { limit: slow }], 500)).toEqual({
      kind: 'taken',
      buckets: [
        { tokens: 2, atMs: 500 },
        { tokens: 0, atMs: 500 },
      ],
    });
  });

  it('are not taken if one bucket is empty, and the longest wait is named', () => {
    const buckets = [{ tokens: 1, atMs: 0 }, { tokens: 0, atMs: 0 }, { tokens: 0, atMs: 0 }, null];
    const charges = [{ limit }, { limit }, { limit: slow }, { limit: slow }];
    expect(takeTokens(buckets, charges, 250)).toEqual({
      kind: 'refused',
      refusedBy: 2,
      waitMs: 750,
      left: [1.5, 0.5, 0.25, 1],
    });
  });

  it('are none without buckets', () => {
    expect(takeTokens([], [], 0)).toEqual({ kind: 'taken', buckets: [] });
  });
});
