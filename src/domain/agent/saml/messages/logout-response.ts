import { successStatus } from '../checks/check-status.js';
import { markup } from './markup.js';
import { messageRoot, type SamlMessageRoot } from './message-root.js';

export interface LogoutResponseToSend extends SamlMessageRoot {
  /** ID of the LogoutRequest. */
  readonly inResponseTo: string;
}

/** Builds a LogoutResponse: the named sessions have ended (SAML core, section 3.7.2). */
export const logoutResponseXml = (response: LogoutResponseToSend): string =>
  messageRoot(
    'LogoutResponse',
    response,
    { InResponseTo: response.inResponseTo },
    markup('samlp:Status', {}, markup('samlp:StatusCode', { Value: successStatus })),
  );
