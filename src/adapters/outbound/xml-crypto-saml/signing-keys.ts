import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { XmlSignatureAlgorithm } from '../../../domain/agent/saml/document/signed-info-shape.js';
import { rsaKeyFault } from '../../../domain/shared/rsa-key-rules.js';
import { decodeFoldedBase64 } from './decode-document.js';

/**
 * Characters of a signature in base64: far more than one by the largest key that is accepted has.
 */
const maximumSignatureLength = 8192;

const holds = (hash: string, octets: Uint8Array, key: KeyObject, signature: Uint8Array): boolean => {
  try {
    return verify(hash, octets, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
};

/**
 * Whether one of the keys has made a signature, given in base64; RSA with PKCS #1 v1.5, ECDSA as r
 * and s (RFC 9231, section 2.3). A key of another type than the algorithm's is not tried.
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

/** P-256, P-384 and P-521, as OpenSSL calls them. */
const strongCurves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
/** Certificates whose keys are remembered: those of a few identity providers. */
const rememberedCertificates = 64;

/** Why nothing that a key has signed is believed, as in `has a key on ...`; null where it is. */
export const samlKeyFault = (key: KeyObject): string | null => {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = 'unknown' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') {
    const fault = rsaKeyFault(modulusLength, publicExponent);
    return fault === null ? null : `has ${fault}`;
  }
  if (key.asymmetricKeyType !== 'ec') return `has a key of the type ${key.asymmetricKeyType}; RSA and EC are accepted`;
  // A curve that a key describes itself has no name.
  return strongCurves.has(namedCurve) ? null : `has a key on another curve than P-256, P-384 or P-521: ${namedCurve}`;
};

/**
 * A certificate from DER; null where it is none. Node looks for PEM too, even in the midst of DER:
 * only these octets count.
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

const remembered = new Map<string, KeyObject | null>();

const rememberedKey = (certificate: string): KeyObject | null => {
  const known = remembered.get(certificate);
  if (known !== undefined) return known;
  const key = keyOf(certificate);
  if (remembered.size >= rememberedCertificates) remembered.clear();
  remembered.set(certificate, key);
  return key;
};

/** The keys of certificates, DER in base64, that are strong enough; the others are left out. */
export const signingKeys = (certificates: readonly string[]): readonly KeyObject[] =>
  certificates.map(rememberedKey).filter((key) => key !== null);
