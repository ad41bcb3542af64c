import type { LimitViolation } from './limit-violation.js';

/** Limits for decompressing a body for an agent. */
export interface DecompressionRules {
  /** Octets. */
  readonly maxOctets: number;
  /** Largest ratio of decompressed to compressed size; at least 1. */
  readonly maxRatio: number;
}

/**
 * The limit that a decompressed body exceeds; null: none. Checks the size first. `compressedOctets` is the compressed size:
 * the declared length, or the octets fed so far.
 */
export const decompressionViolation = (
  decompressedOctets: number,
  compressedOctets: number,
  { maxOctets, maxRatio }: DecompressionRules,
): LimitViolation | null => {
  if (decompressedOctets > maxOctets) {
    return {
      code: 'body_too_large',
      name: 'max-decompressed-size-bytes',
      limit: maxOctets,
      actual: decompressedOctets,
    };
  }
  // INVARIANT: decompressed octets have compressed octets, so both numbers of the ratio are above zero.
  if (decompressedOctets > maxRatio * compressedOctets) {
    const actual = Math.ceil(decompressedOctets / Math.max(1, compressedOctets));
    return { code: 'body_too_large', name: 'max-decompression-ratio', limit: maxRatio, actual };
  }
  return null;
};
