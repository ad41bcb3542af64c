import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { BasicConstraints, ExtendedKeyUsage, type Extension } from '@peculiar/asn1-x509';
import { readDerValue } from '../../../domain/agent/client-certificates/der-text.js';
import type { Certificate } from '../../../domain/shared/certificate.js';
import { parseSequence } from './certificate-schema.js';
import { readKeyUsage } from './read-key-usage.js';
import { readSubjectAltNames } from './read-subject-alt-names.js';
import { isStrictDer } from './strict-der.js';

/** What the extensions of a certificate say. */
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
/** Says under which policies it was issued: nothing is asked of them here, so that there is nothing to check. */
const certificatePolicies = '2.5.29.32';
const authorityKeyIdentifier = '2.5.29.35';
const policyConstraints = '2.5.29.36';
const extendedKeyUsage = '2.5.29.37';
const inhibitAnyPolicy = '2.5.29.54';

const constraining: readonly string[] = [nameConstraints, policyConstraints, inhibitAnyPolicy];
const understood: ReadonlySet<string> = new Set([
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

/** The values of the extensions that are understood, by type. */
const valuesOf = (extensions: readonly Extension[]): ReadonlyMap<string, Uint8Array> => {
  const values = new Map<string, Uint8Array>();
  const types = new Set<string>();
  for (const { extnID, extnValue } of extensions) {
    if (types.has(extnID)) throw new Error('an extension occurs twice');
    types.add(extnID);
    if (!understood.has(extnID)) continue;
    const value = new Uint8Array(extnValue.buffer);
    if (!isStrictDer(value)) throw new Error('an extension is no DER');
    values.set(extnID, value);
  }
  return values;
};

const readBasicConstraints = (der: Uint8Array | undefined): Pick<Certificate, 'isAuthority' | 'pathLength'> => {
  if (der === undefined) return { isAuthority: false, pathLength: null };
  const { cA, pathLenConstraint } = AsnConvert.parse(der, BasicConstraints);
  if (!cA) return { isAuthority: false, pathLength: null };
  // A number too large for the package comes as text.
  const pathLength = pathLenConstraint === undefined ? null : Number(pathLenConstraint);
  if (pathLength !== null && !(Number.isInteger(pathLength) && pathLength >= 0)) {
    throw new Error('a path length is no number');
  }
  return { isAuthority: true, pathLength };
};

/** Tag of the key identifier among what else may tell of the issuer's key (RFC 5280, section 4.2.1.1). */
const keyIdentifierTag = 0x80;

const readAuthorityKeyId = (der: Uint8Array | undefined): string | null => {
  const item = der === undefined ? undefined : parseSequence(der).find(([tag]) => tag === keyIdentifierTag);
  const value = item === undefined ? null : readDerValue(item);
  return value === null ? null : hex(value.contents);
};

/** Reads extensions (RFC 5280, section 4.2). Throws where one that is understood cannot be read, or occurs twice. */
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
      .filter(({ critical, extnID }) => critical && !understood.has(extnID))
      .map(({ extnID }) => extnID),
    isConstrained: constraining.some((type) => values.has(type)),
    subjectKeyId: read(subjectKeyIdentifier, (der) => hex(AsnConvert.parse(der, OctetString).buffer)),
    authorityKeyId: readAuthorityKeyId(values.get(authorityKeyIdentifier)),
  };
};
