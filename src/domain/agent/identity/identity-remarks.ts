import { type AuditRemarks, remarkText } from '../../agent-protocol/audit-remarks.js';
import { emptyAudit } from '../../agent-protocol/messages.js';
import type { Identity } from './identity.js';

/** Who makes a request, for the audit of the answer to it. Nothing for one that has no identity. */
export const identityRemarks = (identity: Identity | null): AuditRemarks & Readonly<Record<string, string>> =>
  identity === null ? emptyAudit.custom : { subject: remarkText(identity.userId), auth_method: identity.method };

/** What the audit of an answer is told where policies were asked: where none applies, no rule says so. */
export const authorizationRemarks = { event: 'authorization' } as const satisfies AuditRemarks;
