import type { KeyObject } from 'node:crypto';
import { isBurdensomeRsaKey, rsaKeyFault } from '../../../domain/shared/rsa-key-rules.js';

/** As OpenSSL calls them: P-256, P-384 and P-521. */
const strongCurves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Whether signatures are not checked with a key because that takes too long. */
export const isBurdensome = (key: KeyObject): boolean => {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  return isBurdensomeRsaKey(modulusLength, publicExponent);
};

/**
 * Why a key is too weak to be believed, in one clause; null where it is not. A curve that a key describes itself, with a
 * generator of its own, has no name and is refused with the others: anybody can find one on which a signature is good.
 */
export const keyWeakness = (key: KeyObject): string | null => {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = 'unknown' } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss': {
      const fault = rsaKeyFault(modulusLength, publicExponent);
      return fault === null ? null : `has ${fault}`;
    }
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
