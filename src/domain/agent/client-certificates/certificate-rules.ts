import type { Certificate, DistinguishedName } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import type { CertificateIdentity } from '../identity/identity.js';
import { type AllowedSan, type AllowedSans, prepareAllowedSans, sanAllowed } from './allowed-san.js';
import { type CertificateRejection, leafDefects, mostUsefulDefect } from './certificate-defects.js';
import { certificateUser, commonName, type UserSource } from './certificate-user.js';
import { formatDistinguishedName, nameKey } from './distinguished-name.js';

/**
 * Checks a client certificate without its chain, for configurations without authorities: the component that terminated
 * TLS has checked the chain. Null if valid.
 */
export const checkLeaf = (certificate: Certificate, nowMs: number): CertificateRejection | null =>
  mostUsefulDefect(leafDefects(certificate, false, nowMs));

/** Which certificates are accepted, and for which user. A certificate must match both lists, unless they are empty. */
export interface CertificateLists extends UserSource {
  /** Subjects; empty: any. */
  readonly allowedNames: readonly DistinguishedName[];
  /** Empty: any. */
  readonly allowedSans: readonly AllowedSan[];
}

/** The prepared rules. Their cost is independent of the length of the lists. */
export interface CertificateRules extends UserSource {
  /** Subjects by their `nameKey`; null: any. */
  readonly allowedNames: ReadonlySet<string> | null;
  /** Null: any. */
  readonly allowedSans: AllowedSans | null;
}

export const prepareCertificateRules = (lists: CertificateLists): CertificateRules => ({
  allowedNames: lists.allowedNames.length === 0 ? null : new Set(lists.allowedNames.map(nameKey)),
  allowedSans: lists.allowedSans.length === 0 ? null : prepareAllowedSans(lists.allowedSans),
  userIdFrom: lists.userIdFrom,
  extractCn: lists.extractCn,
  extractEmail: lists.extractEmail,
});

/** The user of a certificate. */
export interface CertificateUser {
  readonly userId: string;
  readonly identity: CertificateIdentity;
}

const isAllowed = (leaf: Certificate, { allowedNames, allowedSans }: CertificateRules): boolean =>
  (allowedNames === null || allowedNames.has(nameKey(leaf.subject))) &&
  (allowedSans === null || sanAllowed(allowedSans, leaf.subjectAltNames));

/** Checks a client certificate against the rules. The caller has checked its chain. */
export const validateCertificate = (
  leaf: Certificate,
  rules: CertificateRules,
): Result<CertificateUser, CertificateRejection> => {
  if (!isAllowed(leaf, rules)) return err('certificate_not_allowed');
  const user = certificateUser(leaf, rules);
  if (!user.ok) return user;
  const distinguishedName = formatDistinguishedName(leaf.subject);
  return ok({ userId: user.value, identity: { commonName: commonName(leaf), distinguishedName } });
};
