import type { LimitViolation } from './limit-violation.js';

/** How far a body may be inflated for an agent. */
export interface DecompressionRules {
  /** Octets. */
  readonly maxOctets: number;
  /** Octets that may come of one octet; at least 1. */
  readonly maxRatio: number;
}

/**
 * The limit that an inflated body is over, or null: its size first. `codedOctets` is what it is inflated from: the
 * length that the message declares, else what has been fed so far.
 */
export const decompressionViolation = (
  inflatedOctets: number,
  codedOctets: number,
  { maxOctets, maxRatio }: DecompressionRules,
): LimitViolation | null => {
  if (inflatedOctets > maxOctets) {
    return { code: 'body_too_large', name: 'max-decompressed-size-bytes', limit: maxOctets, actual: inflatedOctets };
  }
  // INVARIANT: what is inflated has been fed, so that the ratio is one of two numbers above zero.
  if (inflatedOctets > maxRatio * codedOctets) {
    const actual = Math.ceil(inflatedOctets / Math.max(1, codedOctets));
    return { code: 'body_too_large', name: 'max-decompression-ratio', limit: maxRatio, actual };
  }
  return null;
};
