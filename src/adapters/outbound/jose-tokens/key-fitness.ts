import type { KeyObject } from 'node:crypto';
import type { AsymmetricAlgorithm } from '../../../domain/tokens/signature-algorithm.js';
import { algorithmRequirements } from './algorithm-requirements.js';

/** Bits of an RSA modulus: fewer are broken (RFC 7518, section 3.3), more make each verification a burden. */
const minimumRsaBits = 2048;
const maximumRsaBits = 8192;
/** RSA exponents are odd, and from here to below there: 1 signs nothing, and huge ones cost as a private key does. */
const minimumExponent = 3n;
const exponentLimit = 1n << 32n;

const unfitRsa = (bits: number, exponent: bigint): string | null => {
  if (bits < minimumRsaBits) return `an RSA key of ${bits} bits; ${minimumRsaBits} are needed at the least`;
  if (bits > maximumRsaBits) return `an RSA key of ${bits} bits; ${maximumRsaBits} are allowed at the most`;
  const isSane = exponent >= minimumExponent && exponent < exponentLimit && (exponent & 1n) === 1n;
  return isSane ? null : 'an RSA key whose exponent is even, too small or too large';
};

/** Says what a key is that does not fit the algorithm; null where it fits. */
export const unfitness = (key: KeyObject, algorithm: AsymmetricAlgorithm): string | null => {
  const needs = algorithmRequirements[algorithm];
  const type = key.asymmetricKeyType;
  const details = key.asymmetricKeyDetails;
  switch (needs.family) {
    case 'rsa':
      if (type !== 'rsa') return `a key of type ${type}, but ${algorithm} needs RSA`;
      return unfitRsa(details?.modulusLength ?? 0, details?.publicExponent ?? 0n);
    case 'ec':
      if (type !== 'ec') return `a key of type ${type}, but ${algorithm} needs ${needs.curve}`;
      return details?.namedCurve === needs.namedCurve
        ? null
        : `a key on the curve ${details?.namedCurve}, but ${algorithm} needs ${needs.curve}`;
    case 'ed25519':
      return type === 'ed25519' ? null : `a key of type ${type}, but ${algorithm} needs Ed25519`;
  }
};
