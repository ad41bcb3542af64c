import { describe, expect, it } from 'vitest';
import { isBurdensomeRsaKey, rsaKeyFault } from '../../../../src/domain/shared/rsa-key-rules.js';

describe('an RSA key', () => {
  it.each([
    [2048, 65_537n],
    [8192, 3n],
    [4096, (1n << 32n) - 1n],
  ])('of %i bits with the exponent %s is accepted', (bits, exponent) => {
    expect(rsaKeyFault(bits, exponent)).toBeNull();
    expect(isBurdensomeRsaKey(bits, exponent)).toBe(false);
  });

  it.each([
    [2047, 65_537n, 'at least'],
    [8193, 65_537n, 'at most'],
    [2048, 1n, 'exponent'],
    [2048, 65_536n, 'exponent'],
    [2048, (1n << 32n) + 1n, 'exponent'],
    [0, 0n, 'at least'],
  ])('of %i bits with the exponent %s is not: %s', (bits, exponent, fault) => {
    expect(rsaKeyFault(bits, exponent)).toContain(fault);
  });

  it('that is too large is never computed', () => {
    expect(isBurdensomeRsaKey(8193, 65_537n)).toBe(true);
    expect(isBurdensomeRsaKey(2048, 1n << 32n)).toBe(true);
  });
});
