import type { Certificate, DistinguishedName } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import type { CertificateIdentity } from '../identity/identity.js';
import { type AllowedSan, type AllowedSans, prepareAllowedSans, sanAllowed } from './allowed-san.js';
import { type CertificateRejection, leafDefects, mostTelling } from './certificate-defects.js';
import { certificateUser, commonName, type UserSource } from './certificate-user.js';
import { formatDistinguishedName, nameKey } from './distinguished-name.js';

/**
 * Judges what a client's own certificate says, whoever vouches for it: all there is to judge where no authority is
 * configured, because whoever terminated TLS has found the chain. Null where nothing is wrong.
 */
export const checkLeaf = (certificate: Certificate, nowMs: number): CertificateRejection | null =>
  mostTelling(leafDefects(certificate, false, nowMs));

/** Whose certificates are accepted, and as whom. A certificate has to be in both lists, where they are not empty. */
export interface CertificateLists extends UserSource {
  /** Subjects; empty: any. */
  readonly allowedNames: readonly DistinguishedName[];
  /** Empty: any. */
  readonly allowedSans: readonly AllowedSan[];
}

/** The same, made ready once: to judge a certificate costs the same however long the lists are. */
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

/** Whom a certificate authenticates. */
export interface CertificateUser {
  readonly userId: string;
  readonly identity: CertificateIdentity;
}

const isAllowed = (leaf: Certificate, { allowedNames, allowedSans }: CertificateRules): boolean =>
  (allowedNames === null || allowedNames.has(nameKey(leaf.subject))) &&
  (allowedSans === null || sanAllowed(allowedSans, leaf.subjectAltNames));

/** Judges a client's certificate against the rules. That its chain holds is the caller's to have found. */
export const judgeCertificate = (
  leaf: Certificate,
  rules: CertificateRules,
): Result<CertificateUser, CertificateRejection> => {
  if (!isAllowed(leaf, rules)) return err('certificate_not_allowed');
  const user = certificateUser(leaf, rules);
  if (!user.ok) return user;
  const distinguishedName = formatDistinguishedName(leaf.subject);
  return ok({ userId: user.value, identity: { commonName: commonName(leaf), distinguishedName } });
};
