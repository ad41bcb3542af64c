import type { Certificate } from '../../shared/certificate.js';

/** Why a client certificate is refused. Stable: the values are metric labels. */
export type CertificateRejection =
  /** Not a certificate in any supported encoding. */
  | 'certificate_malformed'
  /** No chain leads to a configured authority. */
  | 'certificate_untrusted'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  /** Its key usage, or that of an authority in its chain, forbids client authentication. */
  | 'certificate_wrong_usage'
  /** The chain contains a short key, or a signature with a broken digest. */
  | 'certificate_weak'
  /** The chain contains an unknown critical extension. */
  | 'certificate_unsupported'
  /** A revocation list of its issuer, or of an authority in its chain, names it. */
  | 'certificate_revoked'
  /** A revocation list of an issuer in its chain is outdated. */
  | 'certificate_revocation_unknown'
  /** Neither its subject nor an alternative name is in the allow-lists. */
  | 'certificate_not_allowed'
  /** It has no common name or e-mail that can be a user id, or several. */
  | 'certificate_unusable_subject';

/** The defects of a single certificate, most useful first: those that its holder can fix soonest. */
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

/** An authority for any purpose includes clients; a client certificate must name the purpose itself. */
const mayVouchForClients = ({ extendedKeyUsage }: Certificate): boolean =>
  extendedKeyUsage === null || extendedKeyUsage.includes(clientAuthentication) || extendedKeyUsage.includes(anyPurpose);

/**
 * The defects of a client certificate (RFC 5280, sections 4.2.1.3 and 4.2.1.12). The signature on an anchor is
 * irrelevant.
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

/** The defects of an authority. The purposes of an anchor are not limited: configuring it is the decision. */
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

/** The most useful defect; null if there is none. */
export const mostUsefulDefect = (defects: readonly CertificateDefect[]): CertificateDefect | null =>
  defectKinds.find((kind) => defects.includes(kind)) ?? null;
