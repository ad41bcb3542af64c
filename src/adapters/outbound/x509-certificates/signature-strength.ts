import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { readDerValue } from '../../../domain/agent/client-certificates/der-text.js';
import { parseSequence, rawOctets } from './certificate-schema.js';

/** Signature algorithms with a digest of the SHA-2 family, and those that have theirs built in (RFC 8410). */
const strongAlgorithms: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
  '1.3.101.113',
]);

const rsaPss = '1.2.840.113549.1.1.10';
const strongDigests: ReadonlySet<string> = new Set([
  '2.16.840.1.101.3.4.2.1',
  '2.16.840.1.101.3.4.2.2',
  '2.16.840.1.101.3.4.2.3',
]);

const brokenAlgorithms: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.2', 'MD2'],
  ['1.2.840.113549.1.1.4', 'MD5'],
  ['1.2.840.113549.1.1.5', 'SHA-1'],
  ['1.3.14.3.2.29', 'SHA-1'],
  ['1.2.840.10040.4.3', 'SHA-1'],
  ['1.2.840.10045.4.1', 'SHA-1'],
]);

/** Tag of the digest in the parameters of RSASSA-PSS (RFC 4055, section 3.1); without it the digest is SHA-1. */
const hashAlgorithmTag = 0xa0;

const hasStrongDigest = (parameters: Uint8Array): boolean => {
  const [first] = parseSequence(parameters);
  const hash = first === undefined ? null : readDerValue(first);
  if (hash?.tag !== hashAlgorithmTag) return false;
  return strongDigests.has(AsnConvert.parse(hash.contents, AlgorithmIdentifier).algorithm);
};

/**
 * Why a signature is too weak to be believed, in one clause; null where it is not. What is not known to be strong is
 * weak. Throws where the parameters cannot be read.
 */
export const signatureWeakness = ({ algorithm, parameters }: AlgorithmIdentifier): string | null => {
  if (strongAlgorithms.has(algorithm)) return null;
  if (algorithm === rsaPss) {
    const isStrong = parameters !== undefined && hasStrongDigest(rawOctets(parameters));
    return isStrong ? null : 'is signed with RSASSA-PSS and another digest than SHA-256, SHA-384 or SHA-512';
  }
  const digest = brokenAlgorithms.get(algorithm);
  return digest === undefined
    ? `is signed with an algorithm that is not accepted (${algorithm})`
    : `is signed with ${digest}`;
};
