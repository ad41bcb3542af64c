import type { X509Certificate } from 'node:crypto';
import type { Certificate } from '../../../domain/shared/certificate.js';

const sameTexts = (left: readonly string[] | undefined, right: readonly string[] | null): boolean =>
  (left ?? []).length === (right ?? []).length && (left ?? []).every((text, index) => text === right?.[index]);

/**
 * Whether Node has read the same certificate, and the same from it, as far as it tells. Signatures are checked on what
 * Node has read, and believed of what was read beside it: the two must never part. Node looks for PEM before it looks
 * for DER, even in the midst of a name; that is why the octets are compared.
 */
export const nodeAgrees = (node: X509Certificate, der: Uint8Array, certificate: Certificate): boolean => {
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
