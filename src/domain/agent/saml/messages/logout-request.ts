import { formatDateTime } from '../../xml/date-time.js';
import type { NameId } from '../assertion.js';
import { markup, markupText } from './markup.js';
import { messageRoot, type SamlMessageRoot, samlMarkup } from './message-root.js';

export interface LogoutRequestToSend extends SamlMessageRoot {
  /** As the identity provider sent it. */
  readonly nameId: NameId;
  /** Null: the identity provider sent none. */
  readonly sessionIndex: string | null;
}

/** How long the request is valid. */
const lifetimeMs = 5 * 60_000;

/** Builds a LogoutRequest, which signs a user out everywhere (SAML core, section 3.7.1). */
export const logoutRequestXml = (request: LogoutRequestToSend): string => {
  const { nameId, sessionIndex } = request;
  return messageRoot(
    'LogoutRequest',
    request,
    {
      NotOnOrAfter: formatDateTime(request.issueInstantMs + lifetimeMs),
      Reason: 'urn:oasis:names:tc:SAML:2.0:logout:user',
    },
    samlMarkup(
      'saml:NameID',
      { NameQualifier: nameId.nameQualifier, SPNameQualifier: nameId.spNameQualifier, Format: nameId.format },
      nameId.value,
    ),
    sessionIndex === null ? '' : markup('samlp:SessionIndex', {}, markupText(sessionIndex)),
  );
};
