import { type KeyObject, verify } from 'node:crypto';
import type { XmlSignatureAlgorithm } from '../../../domain/agent/saml/document/signature-algorithms.js';
import { decodeFoldedBase64 } from './decode-document.js';

/** Characters of a signature in base64: far more than one by the largest key that is accepted has. */
const maximumSignatureLength = 8192;

const holds = (hash: string, octets: Uint8Array, key: KeyObject, signature: Uint8Array): boolean => {
  try {
    return verify(hash, octets, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
};

/**
 * Whether one of the keys has made a signature, given in base64; RSA with PKCS #1 v1.5, ECDSA as r and s (RFC 9231, section
 * 2.3). A key of another type than the algorithm's is not tried.
 */
export const isSignedByOneOf = (
  keys: readonly KeyObject[],
  { keyType, hash }: XmlSignatureAlgorithm,
  text: string,
  signature: string,
): boolean => {
  if (signature.length > maximumSignatureLength) return false;
  const value = decodeFoldedBase64(signature);
  if (value === null || value.length === 0) return false;
  const octets = Buffer.from(text, 'utf8');
  return keys.some((key) => key.asymmetricKeyType === keyType && holds(hash, octets, key, value));
};
