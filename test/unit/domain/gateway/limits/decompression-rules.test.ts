import { describe, expect, it } from 'vitest';
import { decompressionViolation } from '../../../../../src/domain/gateway/limits/decompression-rules.js';

const rules = { maxOctets: 1_000, maxRatio: 2.5 };

describe('the limits of decompression', () => {
  it.each([
    [0, 0],
    [999, 500],
    [1_000, 400],
    [25, 10],
  ])('allow %i octets of %i', (inflated, coded) => {
    expect(decompressionViolation(inflated, coded, rules)).toBeNull();
  });

  it('are exceeded by one octet, whatever the compressed size', () => {
    expect(decompressionViolation(1_001, 1_000, rules)).toEqual({
      code: 'body_too_large',
      name: 'max-decompressed-size-bytes',
      limit: 1_000,
      actual: 1_001,
    });
  });

  it.each([
    [26, 10, 3],
    [1_000, 399, 3],
    [1, 0, 1],
  ])('are exceeded by %i octets from %i', (inflated, coded, actual) => {
    expect(decompressionViolation(inflated, coded, rules)).toEqual({
      code: 'body_too_large',
      name: 'max-decompression-ratio',
      limit: 2.5,
      actual,
    });
  });
});
