import type { Session } from '../sessions/session.js';
import type { NameId } from './assertion.js';
import type { AcceptedAssertion } from './checks/validate-assertion.js';

/** The keys of the NameID's parts in the details of a session. */
const formatDetail = 'name_id_format';
const qualifierDetail = 'name_qualifier';
const spQualifierDetail = 'sp_name_qualifier';

export interface SessionToOpen {
  readonly accepted: AcceptedAssertion;
  /** SHA-256 of the id, in lower-case hexadecimal. */
  readonly idHash: string;
  /** Entity id of the identity provider. */
  readonly issuer: string;
  readonly nowMs: number;
  readonly ttlMs: number;
}

const detailsOf = (nameId: NameId | null): Readonly<Record<string, string>> => {
  const details: Record<string, string> = {};
  if (nameId === null) return details;
  if (nameId.format !== null) details[formatDetail] = nameId.format;
  if (nameId.nameQualifier !== null) details[qualifierDetail] = nameId.nameQualifier;
  if (nameId.spNameQualifier !== null) details[spQualifierDetail] = nameId.spNameQualifier;
  return details;
};

/** The session of an assertion. It ends after its time to live, or earlier at SessionNotOnOrAfter. */
export const newSession = ({ accepted, idHash, issuer, nowMs, ttlMs }: SessionToOpen): Session => ({
  idHash,
  userId: accepted.userId,
  method: 'saml',
  provider: issuer,
  logout: accepted.nameId && { subject: accepted.nameId.value, session: accepted.sessionIndex },
  details: detailsOf(accepted.nameId),
  attributes: accepted.attributes,
  createdMs: nowMs,
  expiresMs: Math.min(nowMs + ttlMs, accepted.sessionNotOnOrAfterMs ?? Number.POSITIVE_INFINITY),
  lastSeenMs: nowMs,
});

/** The NameID for a LogoutRequest of the session; null: the assertion had none. */
export const nameIdOfSession = ({ logout, details }: Pick<Session, 'logout' | 'details'>): NameId | null =>
  logout && {
    value: logout.subject,
    format: details[formatDetail] ?? null,
    nameQualifier: details[qualifierDetail] ?? null,
    spNameQualifier: details[spQualifierDetail] ?? null,
  };
