import { type AuditRemarks, remarkText } from '../../agent-protocol/audit-remarks.js';
import { emptyAudit } from '../../agent-protocol/messages.js';
import { isWellFormed } from '../../shared/utf8.js';
import type { Claims } from '../tokens/claims.js';
import type { AuthenticationMethod } from './request-credentials.js';

/** The audit remarks about an identity; empty without one. */
export const identityRemarks = (identity: Identity | null): AuditRemarks & Readonly<Record<string, string>> =>
  identity === null ? emptyAudit.custom : { subject: remarkText(identity.userId), auth_method: identity.method };

/** The audit remark if policies were evaluated but none determined the decision. */
export const authorizationRemarks = { event: 'authorization' } as const satisfies AuditRemarks;

/** Maximum characters of a user id. */
const maximumSubjectLength = 256;

/**
 * Whether a name can be a user id. Surrounding white space and lone surrogates would be lost in a header, so that two
 * users could become one.
 */
export const isUsableSubject = (subject: string): boolean =>
  subject !== '' && subject.length <= maximumSubjectLength && subject.trim() === subject && isWellFormed(subject);

/** The subject of a client certificate. */
export interface CertificateIdentity {
  /** Null if the subject has none, or several. */
  readonly commonName: string | null;
  /** The subject in text form (RFC 4514). */
  readonly distinguishedName: string;
}

/** An authenticated identity. */
export interface Identity {
  readonly method: AuthenticationMethod;
  readonly userId: string;
  /** Null if the credential has no claims. */
  readonly claims: Claims | null;
  /** Null unless the credential is a client certificate. */
  readonly certificate: CertificateIdentity | null;
}
