import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { BasicConstraints, ExtendedKeyUsage, type Extension } from '@peculiar/asn1-x509';
import { readDerValue } from '../../../domain/agent/client-certificates/der-text.js';
import { formatIpAddress, parseIpAddress } from '../../../domain/http/ip-address.js';
import type { Certificate, KeyUsage, SubjectAltName } from '../../../domain/shared/certificate.js';
import { parseSequence } from './certificate-schema.js';
import { isStrictDer } from './strict-der.js';

/** Tags of the supported names (RFC 5280, section 4.2.1.6). */
const textKinds: ReadonlyMap<number, 'email' | 'dns' | 'uri'> = new Map([
  [0x81, 'email'],
  [0x82, 'dns'],
  [0x86, 'uri'],
]);
const ipTag = 0x87;

const ipText = (octets: Uint8Array): string => {
  if (octets.length === 4) return octets.join('.');
  if (octets.length !== 16) throw new Error('an IP address has neither 4 nor 16 octets');
  return Buffer.from(octets).toString('hex').match(/.{4}/g)?.join(':') ?? '';
};

const readIp = (octets: Uint8Array): string => {
  const address = parseIpAddress(ipText(octets));
  if (address === null) throw new Error('an IP address is malformed');
  return formatIpAddress(address);
};

/**
 * Reads names of the four supported kinds and skips others. Each octet becomes one character, so
 * non-ASCII text stays visibly invalid. Throws if malformed.
 */
const readSubjectAltNames = (der: Uint8Array): readonly SubjectAltName[] => {
  const names: SubjectAltName[] = [];
  for (const item of parseSequence(der)) {
    const value = readDerValue(item);
    if (value === null) throw new Error('an alternative name is not DER');
    const kind = textKinds.get(value.tag);
    if (kind !== undefined) names.push({ kind, value: Buffer.from(value.contents).toString('latin1') });
    else if (value.tag === ipTag) names.push({ kind: 'ip', value: readIp(value.contents) });
  }
  return names;
};

const bitStringTag = 0x03;

/** Bits of the first octet (RFC 5280, section 4.2.1.3). */
const flags: readonly (readonly [bit: number, usage: KeyUsage])[] = [
  [0x80, 'digital_signature'],
  [0x08, 'key_agreement'],
  [0x04, 'certificate_signing'],
  [0x02, 'list_signing'],
];
const otherBits = 0x71;

/** Throws if it is not a bit string. */
const readKeyUsage = (der: Uint8Array): readonly KeyUsage[] => {
  const value = readDerValue(der);
  const [unused, bits = 0, more = 0] = value?.contents ?? [];
  if (value?.tag !== bitStringTag || unused === undefined || unused > 7)
    throw new Error('a key usage is not a bit string');
  const usages = flags.filter(([bit]) => (bits & bit) !== 0).map(([, usage]) => usage);
  return (bits & otherBits) === 0 && more === 0 ? usages : [...usages, 'other'];
};

/** The extensions of a certificate. */
export type ReadExtensions = Pick<
  Certificate,
  | 'isAuthority'
  | 'pathLength'
  | 'keyUsage'
  | 'extendedKeyUsage'
  | 'subjectAltNames'
  | 'unknownCritical'
  | 'isConstrained'
  | 'subjectKeyId'
  | 'authorityKeyId'
>;

const subjectKeyIdentifier = '2.5.29.14';
const keyUsage = '2.5.29.15';
const subjectAltName = '2.5.29.17';
const basicConstraints = '2.5.29.19';
const nameConstraints = '2.5.29.30';
/** The policies of issuance. Accepted without a check, because no policy is required. */
const certificatePolicies = '2.5.29.32';
const authorityKeyIdentifier = '2.5.29.35';
const policyConstraints = '2.5.29.36';
const extendedKeyUsage = '2.5.29.37';
const inhibitAnyPolicy = '2.5.29.54';

const constraining: readonly string[] = [nameConstraints, policyConstraints, inhibitAnyPolicy];
const supported: ReadonlySet<string> = new Set([
  ...constraining,
  subjectKeyIdentifier,
  keyUsage,
  subjectAltName,
  basicConstraints,
  certificatePolicies,
  authorityKeyIdentifier,
  extendedKeyUsage,
]);

const hex = (octets: ArrayBuffer | Uint8Array): string => Buffer.from(new Uint8Array(octets)).toString('hex');

/** The values of the supported extensions, by type. */
const valuesOf = (extensions: readonly Extension[]): ReadonlyMap<string, Uint8Array> => {
  const values = new Map<string, Uint8Array>();
  const types = new Set<string>();
  for (const { extnID, extnValue } of extensions) {
    if (types.has(extnID)) throw new Error('an extension occurs twice');
    types.add(extnID);
    if (!supported.has(extnID)) continue;
    const value = new Uint8Array(extnValue.buffer);
    if (!isStrictDer(value)) throw new Error('an extension is not DER');
    values.set(extnID, value);
  }
  return values;
};

const readBasicConstraints = (der: Uint8Array | undefined): Pick<Certificate, 'isAuthority' | 'pathLength'> => {
  if (der === undefined) return { isAuthority: false, pathLength: null };
  const { cA, pathLenConstraint } = AsnConvert.parse(der, BasicConstraints);
  if (!cA) return { isAuthority: false, pathLength: null };
  // The package returns a large number as text.
  const pathLength = pathLenConstraint === undefined ? null : Number(pathLenConstraint);
  if (pathLength !== null && !(Number.isInteger(pathLength) && pathLength >= 0)) {
    throw new Error('a path length is not a number');
  }
  return { isAuthority: true, pathLength };
};

/** Tag of the key identifier in AuthorityKeyIdentifier (RFC 5280, section 4.2.1.1). */
const keyIdentifierTag = 0x80;

const readAuthorityKeyId = (der: Uint8Array | undefined): string | null => {
  const item = der === undefined ? undefined : parseSequence(der).find(([tag]) => tag === keyIdentifierTag);
  const value = item === undefined ? null : readDerValue(item);
  return value === null ? null : hex(value.contents);
};

/**
 * Reads extensions (RFC 5280, section 4.2). Throws if a supported one is malformed or any occurs
 * twice.
 */
export const readExtensions = (extensions: readonly Extension[]): ReadExtensions => {
  const values = valuesOf(extensions);
  const read = <Value>(type: string, reader: (der: Uint8Array) => Value): Value | null => {
    const der = values.get(type);
    return der === undefined ? null : reader(der);
  };
  return {
    ...readBasicConstraints(values.get(basicConstraints)),
    keyUsage: read(keyUsage, readKeyUsage),
    extendedKeyUsage: read(extendedKeyUsage, (der) => Array.from(AsnConvert.parse(der, ExtendedKeyUsage))),
    subjectAltNames: read(subjectAltName, readSubjectAltNames) ?? [],
    unknownCritical: extensions
      .filter(({ critical, extnID }) => critical && !supported.has(extnID))
      .map(({ extnID }) => extnID),
    isConstrained: constraining.some((type) => values.has(type)),
    subjectKeyId: read(subjectKeyIdentifier, (der) => hex(AsnConvert.parse(der, OctetString).buffer)),
    authorityKeyId: readAuthorityKeyId(values.get(authorityKeyIdentifier)),
  };
};
