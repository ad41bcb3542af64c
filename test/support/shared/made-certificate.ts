import type { Certificate, DistinguishedName } from '../../../src/domain/shared/certificate.js';

/** A name of one common name. */
export const named = (commonName: string): DistinguishedName => [
  [{ type: '2.5.4.3', isText: true, value: commonName }],
];

/** What a certificate says that is in order: the leaf `client`, issued by `authority`, valid from 1000 to 2000. */
export const madeCertificate = (says: Partial<Certificate> = {}): Certificate => ({
  subject: named('client'),
  issuer: named('authority'),
  serialNumber: '01',
  notBeforeMs: 1000,
  notAfterMs: 2000,
  isAuthority: false,
  pathLength: null,
  keyUsage: ['digital_signature'],
  extendedKeyUsage: ['1.3.6.1.5.5.7.3.2'],
  subjectAltNames: [],
  unknownCritical: [],
  isConstrained: false,
  subjectKeyId: null,
  authorityKeyId: null,
  weakKey: null,
  weakSignature: null,
  fingerprint: 'client',
  ...says,
});

/** An authority that is in order, issued by itself unless said otherwise; its fingerprint is its name. */
export const madeAuthority = (commonName: string, says: Partial<Certificate> = {}): Certificate =>
  madeCertificate({
    subject: named(commonName),
    issuer: named(commonName),
    isAuthority: true,
    keyUsage: ['certificate_signing'],
    extendedKeyUsage: null,
    fingerprint: commonName,
    ...says,
  });
