import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { XmlSignatureAlgorithm } from '../../../domain/agent/saml/document/signed-info-shape.js';
import { rsaKeyFault } from '../../../domain/shared/rsa-key-rules.js';
import { decodeFoldedBase64 } from './decode-document.js';

/** Maximum characters of a base64 signature; exceeds the largest accepted key. */
const maxSignatureLength = 8192;

const verifies = (hash: string, octets: Uint8Array, key: KeyObject, signature: Uint8Array): boolean => {
  try {
    return verify(hash, octets, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
};

/**
 * Whether one of the keys made a base64 signature: RSA with PKCS #1 v1.5, or ECDSA as r and s (RFC
 * 9231, section 2.3). Skips keys of another type than the algorithm's.
 */
export const isSignedByOneOf = (
  keys: readonly KeyObject[],
  { keyType, hash }: XmlSignatureAlgorithm,
  text: string,
  signature: string,
): boolean => {
  if (signature.length > maxSignatureLength) return false;
  const value = decodeFoldedBase64(signature);
  if (value === null || value.length === 0) return false;
  const octets = Buffer.from(text, 'utf8');
  return keys.some((key) => key.asymmetricKeyType === keyType && verifies(hash, octets, key, value));
};

/** OpenSSL names of P-256, P-384 and P-521. */
const strongCurves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
/** Maximum cached certificate keys; enough for a few identity providers. */
const maxCachedKeys = 64;

/** Why a key is refused, as in `has a key on ...`; null if it is accepted. */
export const samlKeyFault = (key: KeyObject): string | null => {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = 'unknown' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') {
    const fault = rsaKeyFault(modulusLength, publicExponent);
    return fault === null ? null : `has ${fault}`;
  }
  if (key.asymmetricKeyType !== 'ec')
    return `has a key of the unsupported type ${key.asymmetricKeyType}; use RSA or EC`;
  // Explicit curve parameters have no name.
  return strongCurves.has(namedCurve)
    ? null
    : `has a key on the unsupported curve ${namedCurve}; use P-256, P-384 or P-521`;
};

/**
 * Parses a DER certificate; null if invalid. Node also accepts PEM, even inside DER, so the octets
 * are compared.
 */
export const certificateOf = (der: Uint8Array): X509Certificate | null => {
  try {
    const certificate = new X509Certificate(der);
    return certificate.raw.equals(der) ? certificate : null;
  } catch {
    return null;
  }
};

const keyOf = (certificate: string): KeyObject | null => {
  const der = decodeFoldedBase64(certificate);
  const key = der === null ? null : (certificateOf(der)?.publicKey ?? null);
  return key === null || samlKeyFault(key) !== null ? null : key;
};

const cachedKeys = new Map<string, KeyObject | null>();

const cachedKeyOf = (certificate: string): KeyObject | null => {
  const known = cachedKeys.get(certificate);
  if (known !== undefined) return known;
  const key = keyOf(certificate);
  if (cachedKeys.size >= maxCachedKeys) cachedKeys.clear();
  cachedKeys.set(certificate, key);
  return key;
};

/** The accepted keys of certificates (base64 DER); skips the others. */
export const signingKeys = (certificates: readonly string[]): readonly KeyObject[] =>
  certificates.map(cachedKeyOf).filter((key) => key !== null);
