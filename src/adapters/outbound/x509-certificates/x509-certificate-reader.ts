import { type KeyObject, X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import type { CertificateReader, ReadCertificate } from '../../../application/ports/shared/certificate-reader.js';
import { readDerValue, stringOfDer } from '../../../domain/agent/client-certificates/der-text.js';
import { derValueAt, integerHexOf } from '../../../domain/agent/client-certificates/der-values.js';
import { decodeDer } from '../../../domain/agent/client-certificates/pem-certificates.js';
import type {
  Certificate,
  DistinguishedName,
  NameAttribute,
  SignedOctets,
} from '../../../domain/shared/certificate.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { isBurdensomeRsaKey, rsaKeyFault } from '../../../domain/shared/rsa-key-rules.js';
import { fingerprintOf } from './certificate-fingerprints.js';
import { parseCertificate, parseSequence, type RawName, rawOctets } from './certificate-schema.js';
import { readExtensions } from './read-extensions.js';
import { isSignedWith } from './signed-octets.js';
import { isStrictDer } from './strict-der.js';

/** Signature algorithms with a SHA-2 digest, and those with a built-in one (RFC 8410). */
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

/** Tag of the digest in RSASSA-PSS parameters (RFC 4055, section 3.1); the default is SHA-1. */
const hashAlgorithmTag = 0xa0;

const hasStrongDigest = (parameters: Uint8Array): boolean => {
  const [first] = parseSequence(parameters);
  const hash = first === undefined ? null : readDerValue(first);
  if (hash?.tag !== hashAlgorithmTag) return false;
  return strongDigests.has(AsnConvert.parse(hash.contents, AlgorithmIdentifier).algorithm);
};

/**
 * Why a signature is too weak, in one clause; null if it is strong. Unknown algorithms are weak.
 * Throws if the parameters are malformed.
 */
const signatureWeakness = ({ algorithm, parameters }: AlgorithmIdentifier): string | null => {
  if (strongAlgorithms.has(algorithm)) return null;
  if (algorithm === rsaPss) {
    const isStrong = parameters !== undefined && hasStrongDigest(rawOctets(parameters));
    return isStrong ? null : 'is signed with RSASSA-PSS and an unsupported digest; use SHA-256, SHA-384 or SHA-512';
  }
  const digest = brokenAlgorithms.get(algorithm);
  return digest === undefined ? `is signed with an unsupported algorithm (${algorithm})` : `is signed with ${digest}`;
};

const attributeValue = (der: Uint8Array): Pick<NameAttribute, 'isText' | 'value'> => {
  const read = readDerValue(der);
  const text = read === null ? null : stringOfDer(read.tag, read.contents);
  return text === null ? { isText: false, value: Buffer.from(der).toString('hex') } : { isText: true, value: text };
};

/**
 * The attributes of a name, decoded by their string types. A value with ambiguous characters stays
 * raw: TeletexString beyond ASCII, or invalid UTF8String. A NUL is kept. Throws if a relative name
 * is empty.
 */
const readName = (name: RawName): DistinguishedName =>
  Array.from(name, (relative) => {
    if (relative.length === 0) throw new Error('a relative name is empty');
    return Array.from(relative, ({ type, value }) => ({ type, ...attributeValue(rawOctets(value)) }));
  });

/** Exceeds the number of public CAs. */
const maxCertificates = 1000;
const maxCharacters = 4 * 1024 * 1024;

const beginMark = '-----BEGIN ';
const mark = '-----';
const certificateLabel = 'CERTIFICATE';
/** Maximum characters of a label. */
const maxLabelLength = 64;

/**
 * The DER of every certificate in a PEM text (RFC 7468). Ignores text around the blocks; refuses
 * blocks of another kind. The error is one clause.
 */
const certificateBlocks = (text: string): Result<readonly Uint8Array[], string> => {
  if (text.length > maxCharacters) return err(`has more than ${maxCharacters} characters`);
  const ders: Uint8Array[] = [];
  let begin = text.indexOf(beginMark);
  while (begin >= 0) {
    const labelStart = begin + beginMark.length;
    const labelEnd = text.indexOf(mark, labelStart);
    const label = text.slice(labelStart, Math.min(labelStart + maxLabelLength, Math.max(labelStart, labelEnd)));
    if (label.includes('PRIVATE KEY')) return err('holds a private key; remove it from this file');
    if (label !== certificateLabel) return err('holds a PEM block other than "CERTIFICATE"');
    if (ders.length === maxCertificates) return err(`holds more than ${maxCertificates} certificates`);
    const bodyStart = labelEnd + mark.length;
    const endMark = `-----END ${label}-----`;
    const end = text.indexOf(endMark, bodyStart);
    const der = end < 0 ? null : decodeDer(text.slice(bodyStart, end).replaceAll(/[ \t\r\n]/g, ''));
    if (der === null) return err(`holds a damaged certificate: number ${ders.length + 1}`);
    ders.push(der);
    begin = text.indexOf(beginMark, end + endMark.length);
  }
  return ders.length === 0 ? err('holds no PEM certificate') : ok(ders);
};

/** OpenSSL names of P-256, P-384 and P-521. */
const strongCurves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Whether verification with a key would take too long. */
const isBurdensome = (key: KeyObject): boolean => {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  return isBurdensomeRsaKey(modulusLength, publicExponent);
};

/**
 * Why a key is too weak, in one clause; null if it is strong. Refuses explicit curve parameters,
 * which have no name: with a chosen generator anyone can forge signatures.
 */
const keyWeakness = (key: KeyObject): string | null => {
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
        : `has a key on the unsupported curve ${namedCurve}; use P-256, P-384 or P-521`;
    case 'ed25519':
    case 'ed448':
      return null;
    default:
      return `has a key of the unsupported type ${key.asymmetricKeyType}`;
  }
};

const sameTexts = (left: readonly string[] | undefined, right: readonly string[] | null): boolean =>
  (left ?? []).length === (right ?? []).length && (left ?? []).every((text, index) => text === right?.[index]);

/**
 * Whether Node read the same certificate with the same content. Node verifies signatures and the
 * other parser reads fields, so both must agree. Compares the octets, because Node also accepts
 * PEM, even inside a name.
 */
const nodeAgrees = (node: X509Certificate, der: Uint8Array, certificate: Certificate): boolean => {
  const { isAuthority, keyUsage, extendedKeyUsage, subjectAltNames } = certificate;
  const maySign = isAuthority && (keyUsage === null || keyUsage.includes('certificate_signing'));
  return (
    node.raw.equals(der) &&
    Date.parse(node.validFrom) === certificate.notBeforeMs &&
    Date.parse(node.validTo) === certificate.notAfterMs &&
    node.ca === maySign &&
    sameTexts(node.keyUsage, extendedKeyUsage) &&
    (subjectAltNames.length === 0 || node.subjectAltName !== undefined)
  );
};

/** Throws if it is not an integer in its shortest form. */
const readSerialNumber = (raw: ArrayBuffer | null): string => {
  const der = rawOctets(raw);
  const value = derValueAt(der, 0, der.length);
  const hex = value?.end === der.length ? integerHexOf(der, value) : null;
  if (hex === null) throw new Error('a serial number is malformed');
  return hex;
};

/** Reads a certificate without its key. The input must be strict DER. Throws if malformed. */
const readCertificate = (der: Uint8Array): Omit<Certificate, 'weakKey'> => {
  const { tbsCertificate: signed, signatureAlgorithm } = parseCertificate(der);
  return {
    subject: readName(signed.subject),
    issuer: readName(signed.issuer),
    serialNumber: readSerialNumber(signed.serialNumber),
    notBeforeMs: signed.validity.notBefore.getTime().getTime(),
    notAfterMs: signed.validity.notAfter.getTime().getTime(),
    ...readExtensions(signed.extensions ?? []),
    weakSignature: signatureWeakness(signatureAlgorithm),
    fingerprint: fingerprintOf(der),
  };
};

/** Maximum octets of a certificate. */
const maxOctets = 65_536;

/** Null if Node does not support the key. */
const publicKeyOf = (node: X509Certificate): KeyObject | null => {
  try {
    return node.publicKey;
  } catch {
    return null;
  }
};

/** A certificate and its key. */
class NodeReadCertificate implements ReadCertificate {
  readonly certificate: Certificate;
  readonly #node: X509Certificate;
  readonly #key: KeyObject | null;

  constructor(read: Omit<Certificate, 'weakKey'>, node: X509Certificate) {
    this.#node = node;
    this.#key = publicKeyOf(node);
    const weakKey = this.#key === null ? 'has a key of an unknown type' : keyWeakness(this.#key);
    this.certificate = { ...read, weakKey };
  }

  isSignedBy(issuer: ReadCertificate): boolean {
    const key = issuer instanceof NodeReadCertificate ? issuer.#key : null;
    if (key === null || isBurdensome(key)) return false;
    try {
      return this.#node.verify(key);
    } catch {
      return false;
    }
  }

  hasSigned(signed: SignedOctets): boolean {
    const key = this.#key;
    if (key === null || isBurdensome(key)) return false;
    try {
      return isSignedWith(signed, key);
    } catch {
      return false;
    }
  }
}

/**
 * Reads fields with @peculiar/asn1-x509, keys and signatures with Node. Refuses certificates on
 * which the two differ.
 */
export class X509CertificateReader implements CertificateReader {
  read(der: Uint8Array): Result<ReadCertificate, string> {
    if (der.length > maxOctets) return err(`is larger than ${maxOctets} octets`);
    if (!isStrictDer(der)) return err('is not exactly one DER value');
    try {
      const node = new X509Certificate(der);
      const read = new NodeReadCertificate(readCertificate(der), node);
      return nodeAgrees(node, der, read.certificate) ? ok(read) : err('is ambiguous: two parsers disagree');
    } catch {
      // The libraries' messages may quote the certificate.
      return err('is not a readable certificate');
    }
  }

  readPem(text: string): Result<readonly ReadCertificate[], string> {
    const blocks = certificateBlocks(text);
    if (!blocks.ok) return blocks;
    const certificates: ReadCertificate[] = [];
    for (const [index, der] of blocks.value.entries()) {
      const read = this.read(der);
      if (!read.ok) return err(`holds an unusable certificate: number ${index + 1} ${read.error}`);
      certificates.push(read.value);
    }
    return ok(certificates);
  }
}
