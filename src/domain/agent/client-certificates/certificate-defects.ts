import type { Certificate } from '../../shared/certificate.js';

/** Why a client certificate does not authenticate. Stable: the reasons are metric labels. */
export type CertificateRejection =
  /** Nothing that could be read as a certificate, in none of the encodings. */
  | 'certificate_malformed'
  /** No chain leads from it to a configured authority. */
  | 'certificate_untrusted'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  /** Its key usage, or that of an authority above it, does not allow the authentication of a client. */
  | 'certificate_wrong_usage'
  /** A key that is too short, or a signature with a broken digest, in the chain. */
  | 'certificate_weak'
  /** An extension in the chain has to be understood, and is not. */
  | 'certificate_unsupported'
  /** Its subject or its alternative names are in no allow-list. */
  | 'certificate_not_allowed'
  /** No common name, or no e-mail, that could be a user id; or several. */
  | 'certificate_unusable_subject';

/** What can be wrong with one certificate by itself, the most telling first: what a bearer can mend soonest. */
export const defectKinds = [
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_wrong_usage',
  'certificate_weak',
  'certificate_unsupported',
] as const satisfies readonly CertificateRejection[];

export type CertificateDefect = (typeof defectKinds)[number];

const clientAuthentication = '1.3.6.1.5.5.7.3.2';
const anyPurpose = '2.5.29.37.0';

const generalDefects = (certificate: Certificate, nowMs: number): CertificateDefect[] => {
  const defects: CertificateDefect[] = [];
  if (nowMs > certificate.notAfterMs) defects.push('certificate_expired');
  if (nowMs < certificate.notBeforeMs) defects.push('certificate_not_yet_valid');
  if (certificate.weakKey !== null) defects.push('certificate_weak');
  if (certificate.unknownCritical.length > 0 || certificate.isConstrained) defects.push('certificate_unsupported');
  return defects;
};

const mayAuthenticate = ({ keyUsage, extendedKeyUsage }: Certificate): boolean =>
  (keyUsage === null || keyUsage.includes('digital_signature') || keyUsage.includes('key_agreement')) &&
  (extendedKeyUsage === null || extendedKeyUsage.includes(clientAuthentication));

const maySign = ({ keyUsage }: Certificate): boolean => keyUsage === null || keyUsage.includes('certificate_signing');

/**
 * An authority that may vouch for any purpose may do so for clients; a client's own certificate has to say so itself.
 */
const mayVouchForClients = ({ extendedKeyUsage }: Certificate): boolean =>
  extendedKeyUsage === null || extendedKeyUsage.includes(clientAuthentication) || extendedKeyUsage.includes(anyPurpose);

/**
 * What is wrong with a client's own certificate (RFC 5280, sections 4.2.1.3 and 4.2.1.12). Where it `isAnchor` itself
 * nobody relies on the signature it carries.
 */
export const leafDefects = (
  certificate: Certificate,
  isAnchor: boolean,
  nowMs: number,
): readonly CertificateDefect[] => {
  const defects = generalDefects(certificate, nowMs);
  if (!mayAuthenticate(certificate)) defects.push('certificate_wrong_usage');
  if (!isAnchor && certificate.weakSignature !== null) defects.push('certificate_weak');
  return defects;
};

/**
 * What is wrong with an authority. The purposes of an anchor are not limited: whoever configured it has decided that.
 */
export const issuerDefects = (
  certificate: Certificate,
  isAnchor: boolean,
  nowMs: number,
): readonly CertificateDefect[] => {
  const defects = generalDefects(certificate, nowMs);
  if (!maySign(certificate) || !(isAnchor || mayVouchForClients(certificate))) defects.push('certificate_wrong_usage');
  if (!isAnchor && certificate.weakSignature !== null) defects.push('certificate_weak');
  return defects;
};

/** The most telling of some defects; null where there are none. */
export const mostTelling = (defects: readonly CertificateDefect[]): CertificateDefect | null =>
  defectKinds.find((kind) => defects.includes(kind)) ?? null;
