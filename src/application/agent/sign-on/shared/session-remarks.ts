import type { Session } from '../../../../domain/agent/sessions/session.js';
import { type AuditRemarks, remarkText } from '../../../../domain/agent-protocol/audit-remarks.js';

/** Maximum sessions in an audit record. */
const namedSessions = 16;

/** Names of sessions for log and audit: a prefix of the hash of the id, which cannot open a session. */
export const sessionNames = (idHashes: readonly string[]): string =>
  remarkText(
    idHashes
      .slice(0, namedSessions)
      .map((idHash) => idHash.slice(0, 12))
      .join(' '),
  );

/** The audit remarks about the owner of sessions; empty without sessions. */
export const sessionRemarks = (sessions: readonly Session[]): Omit<AuditRemarks, 'event' | 'outcome'> => {
  const [first] = sessions;
  if (first === undefined) return {};
  const session = sessionNames(sessions.map(({ idHash }) => idHash));
  return { subject: remarkText(first.userId), auth_method: first.method, session };
};
