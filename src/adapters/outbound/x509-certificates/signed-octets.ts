import { constants, type KeyObject, verify } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { readDerValue } from '../../../domain/agent/client-certificates/der-text.js';
import type { SignedOctets } from '../../../domain/shared/certificate.js';
import { parseSequence } from './certificate-schema.js';

interface KnownAlgorithm {
  /** Types of keys, as Node names them. */
  readonly keys: readonly string[];
  /** Null: built in. */
  readonly digest: string | null;
}

const rsaKeys = ['rsa'];

/** Signature algorithms with a SHA-2 digest, and those with a built-in one (RFC 8410). */
const algorithms: ReadonlyMap<string, KnownAlgorithm> = new Map([
  ['1.2.840.113549.1.1.11', { keys: rsaKeys, digest: 'sha256' }],
  ['1.2.840.113549.1.1.12', { keys: rsaKeys, digest: 'sha384' }],
  ['1.2.840.113549.1.1.13', { keys: rsaKeys, digest: 'sha512' }],
  ['1.2.840.10045.4.3.2', { keys: ['ec'], digest: 'sha256' }],
  ['1.2.840.10045.4.3.3', { keys: ['ec'], digest: 'sha384' }],
  ['1.2.840.10045.4.3.4', { keys: ['ec'], digest: 'sha512' }],
  ['1.3.101.112', { keys: ['ed25519'], digest: null }],
  ['1.3.101.113', { keys: ['ed448'], digest: null }],
]);

const rsaPss = '1.2.840.113549.1.1.10';
const pssDigests: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);
/** Tag of the digest in RSASSA-PSS parameters (RFC 4055, section 3.1); the default is SHA-1. */
const hashAlgorithmTag = 0xa0;

/** The digest of RSASSA-PSS; null if it is not supported. Throws if the parameters are malformed. */
const pssDigest = (parameters: Uint8Array | null): string | null => {
  const [first] = parameters === null ? [] : parseSequence(parameters);
  const hash = first === undefined ? null : readDerValue(first);
  if (hash?.tag !== hashAlgorithmTag) return null;
  return pssDigests.get(AsnConvert.parse(hash.contents, AlgorithmIdentifier).algorithm) ?? null;
};

const isSignedWithPss = ({ parameters, octets, signature }: SignedOctets, key: KeyObject): boolean => {
  const digest = pssDigest(parameters);
  if (digest === null || !['rsa', 'rsa-pss'].includes(key.asymmetricKeyType ?? '')) return false;
  // The salt may have any length; the digest of the mask must be the same.
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return verify(digest, octets, { key, ...padding }, signature);
};

/** Whether a key signed the octets with a strong algorithm for its type. May throw. */
export const isSignedWith = (signed: SignedOctets, key: KeyObject): boolean => {
  if (signed.algorithm === rsaPss) return isSignedWithPss(signed, key);
  const known = algorithms.get(signed.algorithm);
  if (known === undefined || !known.keys.includes(key.asymmetricKeyType ?? '')) return false;
  return verify(known.digest, signed.octets, key, signed.signature);
};
