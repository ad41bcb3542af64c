import type { AuditRecord } from '../../../domain/shared/audit-record.js';
import type { Revocation } from './revoke-sessions.js';

/** The user who runs a command. */
export interface Operator {
  readonly name: string;
  /** The user who called sudo; null: nobody did. */
  readonly sudoName: string | null;
}

/** What an operator asked to revoke. */
export interface RequestedRevocation {
  readonly operator: Operator;
  /** The agent whose store was used; null: not named. */
  readonly agent: string | null;
  /** All sessions of this user; null: single sessions. */
  readonly userId: string | null;
}

/** Digits of the hash of a session id, as in /admin/sessions. */
const shownDigits = 16;

/**
 * The audit records of `gateway-auth sessions revoke`: one for each removed session, and one for what was refused. A
 * user without sessions gets a record without `session`.
 */
export const revocationRecords = (
  { operator, agent, userId }: RequestedRevocation,
  { revoked, errors }: Revocation,
): readonly AuditRecord[] => {
  const common = {
    command: 'sessions revoke',
    operator: operator.name,
    ...(operator.sudoName !== null && { sudo_user: operator.sudoName }),
    ...(agent !== null && { agent }),
  };
  const records: AuditRecord[] = revoked.map(({ idHash, userId: subject, method }) => ({
    event: 'admin',
    outcome: 'carried_out',
    members: {
      ...common,
      subject,
      ...(method !== null && { auth_method: method }),
      session: idHash.slice(0, shownDigits),
    },
  }));
  const subject = userId === null ? {} : { subject: userId };
  if (errors.length > 0) {
    records.push({ event: 'admin', outcome: 'refused', members: { ...common, ...subject, problems: errors } });
  } else if (records.length === 0) {
    records.push({ event: 'admin', outcome: 'carried_out', members: { ...common, ...subject } });
  }
  return records;
};
