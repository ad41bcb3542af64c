import type { KeyObject } from 'node:crypto';

const minimumRsaBits = 2048;
/** More make each signature that is checked a burden. */
const maximumRsaBits = 8192;
const minimumExponent = 3n;
/** Larger ones are a burden too. */
const exponentLimit = 1n << 32n;

/** As OpenSSL calls them: P-256, P-384 and P-521. */
const strongCurves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

const rsaWeakness = (bits: number, exponent: bigint): string | null => {
  if (bits < minimumRsaBits) return `has an RSA key of ${bits} bits; ${minimumRsaBits} are needed at the least`;
  if (bits > maximumRsaBits) return `has an RSA key of ${bits} bits; ${maximumRsaBits} are allowed at the most`;
  const isSane = exponent >= minimumExponent && exponent < exponentLimit && exponent % 2n === 1n;
  return isSane ? null : 'has an RSA key whose exponent is even, too small or too large';
};

/** Whether signatures are not checked with a key because that takes too long. */
export const isBurdensome = (key: KeyObject): boolean => {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  return modulusLength > maximumRsaBits || publicExponent >= exponentLimit;
};

/**
 * Why a key is too weak to be believed, in one clause; null where it is not. A curve that a key describes itself, with a
 * generator of its own, has no name and is refused with the others: anybody can find one on which a signature is good.
 */
export const keyWeakness = (key: KeyObject): string | null => {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = 'unknown' } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss':
      return rsaWeakness(modulusLength, publicExponent);
    case 'ec':
      return strongCurves.has(namedCurve)
        ? null
        : `has a key on another curve than P-256, P-384 or P-521: ${namedCurve}`;
    case 'ed25519':
    case 'ed448':
      return null;
    default:
      return `has a key of the type ${key.asymmetricKeyType}, which is not accepted`;
  }
};
