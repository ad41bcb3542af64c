import type { Session } from '../sessions/session.js';
import { authenticationDetails } from '../sessions/session-authentication.js';
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
  readonly clockSkewMs: number;
  /** SHA-256 of the path of the page that the sign-on was for; null: the response is unsolicited. */
  readonly pageHash: string | null;
  readonly nowMs: number;
  readonly ttlMs: number;
}

const nameIdDetails = (nameId: NameId | null): Readonly<Record<string, string>> => {
  const details: Record<string, string> = {};
  if (nameId === null) return details;
  if (nameId.format !== null) details[formatDetail] = nameId.format;
  if (nameId.nameQualifier !== null) details[qualifierDetail] = nameId.nameQualifier;
  if (nameId.spNameQualifier !== null) details[spQualifierDetail] = nameId.spNameQualifier;
  return details;
};

/** The name of SAML among the ways to sign on. */
export const samlProviderName = 'saml';

/** The session of an assertion. It ends after its time to live, or earlier at SessionNotOnOrAfter. */
export const newSession = ({
  accepted,
  idHash,
  issuer,
  clockSkewMs,
  pageHash,
  nowMs,
  ttlMs,
}: SessionToOpen): Session => ({
  idHash,
  userId: accepted.userId,
  method: 'saml',
  provider: issuer,
  logout: accepted.nameId && { subject: accepted.nameId.value, session: accepted.sessionIndex },
  details: {
    ...nameIdDetails(accepted.nameId),
    ...authenticationDetails(
      {
        providerName: samlProviderName,
        acr: accepted.authentication.contextClass,
        authenticatedMs: accepted.authentication.authnInstantMs,
        nowMs,
        clockSkewMs,
      },
      pageHash,
    ),
  },
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
