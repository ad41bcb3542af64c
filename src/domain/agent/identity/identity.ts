import { type AuditRemarks, remarkText } from '../../agent-protocol/audit-remarks.js';
import { emptyAudit } from '../../agent-protocol/messages.js';
import { isWellFormed } from '../../shared/utf8.js';
import type { Claims } from '../tokens/claims.js';
import type { AuthenticationMethod } from './request-credentials.js';

/** Who makes a request, for the audit of the answer to it. Nothing for one that has no identity. */
export const identityRemarks = (identity: Identity | null): AuditRemarks & Readonly<Record<string, string>> =>
  identity === null ? emptyAudit.custom : { subject: remarkText(identity.userId), auth_method: identity.method };

/** What the audit of an answer is told where policies were asked: where none applies, no rule says so. */
export const authorizationRemarks = { event: 'authorization' } as const satisfies AuditRemarks;

/** Characters of a user id that a credential names, at most. */
const maximumSubjectLength = 256;

/**
 * Whether the name that a credential gives its bearer can be a user id. White space around it would be lost in a header
 * field, and a lone surrogate too: two users would become one.
 */
export const isUsableSubject = (subject: string): boolean =>
  subject !== '' && subject.length <= maximumSubjectLength && subject.trim() === subject && isWellFormed(subject);

/** What is told of a client certificate. */
export interface CertificateIdentity {
  /** Null where the subject has none, or several. */
  readonly commonName: string | null;
  /** The subject in text (RFC 4514). */
  readonly distinguishedName: string;
}

/** Who makes a request. */
export interface Identity {
  readonly method: AuthenticationMethod;
  readonly userId: string;
  /** Null where the credential carries none. */
  readonly claims: Claims | null;
  /** Of the client certificate, where that was the credential. */
  readonly certificate: CertificateIdentity | null;
}
