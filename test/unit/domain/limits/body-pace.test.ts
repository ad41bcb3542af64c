import { describe, expect, it } from 'vitest';
import { bodyWaitLeft } from '../../../../src/domain/limits/body-pace.js';

const pace = { minOctetsPerSecond: 100, graceMs: 10_000 };

describe('how long a body may still be waited for', () => {
  it.each([
    ['nothing has come', 0, 0, 10_000],
    ['nothing has come in a part of the grace', 0, 4_000, 6_000],
    ['less has come than the grace is worth', 999, 4_000, 6_000],
    ['as much has come as the grace is worth', 1_000, 4_000, 6_000],
    ['more has come than the grace is worth', 1_500, 4_000, 11_000],
    ['it is at the rate', 2_000, 20_000, 0],
    ['it is an octet above the rate', 2_001, 20_000, 10],
    ['it is below the rate', 1_999, 20_000, 0],
  ])('where %s', (_, octets, waitedMs, left) => {
    expect(bodyWaitLeft(octets, waitedMs, pace)).toBe(left);
  });

  it('is for ever without a rate', () => {
    expect(bodyWaitLeft(0, 1e9, { ...pace, minOctetsPerSecond: 0 })).toBe(Number.POSITIVE_INFINITY);
  });
});
