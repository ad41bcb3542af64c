import type { Session } from '../../../../domain/agent/sessions/session.js';
import { type AuditRemarks, remarkText } from '../../../../domain/agent-protocol/audit-remarks.js';

/** Sessions that an audit names, at most. */
const namedSessions = 16;

/** Sessions as the log calls them, too: by the beginning of the hash of their id, which opens none. */
export const sessionNames = (idHashes: readonly string[]): string =>
  remarkText(
    idHashes
      .slice(0, namedSessions)
      .map((idHash) => idHash.slice(0, 12))
      .join(' '),
  );

/** Whose sessions they are, for the audit; nothing where there are none. */
export const sessionRemarks = (sessions: readonly Session[]): Omit<AuditRemarks, 'event' | 'outcome'> => {
  const [first] = sessions;
  if (first === undefined) return {};
  const session = sessionNames(sessions.map(({ idHash }) => idHash));
  return { subject: remarkText(first.userId), auth_method: 'saml', session };
};
