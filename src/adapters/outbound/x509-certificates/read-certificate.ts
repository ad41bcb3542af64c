import type { Certificate } from '../../../domain/shared/certificate.js';
import { fingerprintOf } from './certificate-fingerprints.js';
import { parseCertificate } from './certificate-schema.js';
import { readExtensions } from './read-extensions.js';
import { readName } from './read-name.js';
import { signatureWeakness } from './signature-strength.js';

/** What a certificate says but for its key. Throws where it cannot be read, and has to get strict DER. */
export const readCertificate = (der: Uint8Array): Omit<Certificate, 'weakKey'> => {
  const { tbsCertificate: signed, signatureAlgorithm } = parseCertificate(der);
  return {
    subject: readName(signed.subject),
    issuer: readName(signed.issuer),
    notBeforeMs: signed.validity.notBefore.getTime().getTime(),
    notAfterMs: signed.validity.notAfter.getTime().getTime(),
    ...readExtensions(signed.extensions ?? []),
    weakSignature: signatureWeakness(signatureAlgorithm),
    fingerprint: fingerprintOf(der),
  };
};
