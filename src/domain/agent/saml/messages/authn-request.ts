import { postBinding } from './bindings.js';
import { markup } from './markup.js';
import { messageRoot, type SamlMessageRoot, samlMarkup } from './message-root.js';

export interface AuthnRequestToSend extends SamlMessageRoot {
  readonly acsUrl: string;
  /** URI; null: any. */
  readonly nameIdFormat: string | null;
  /** URIs; empty: any. */
  readonly authnContexts: readonly string[];
  readonly forceAuthn: boolean;
}

const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/** Transient names are always new, so AllowCreate is omitted for them (SAML 2.0 errata, E14). */
const nameIdPolicy = (format: string | null): string =>
  markup('samlp:NameIDPolicy', { Format: format, AllowCreate: format === transient ? null : 'true' });

const requestedContext = (contexts: readonly string[]): string =>
  contexts.length === 0
    ? ''
    : markup(
        'samlp:RequestedAuthnContext',
        { Comparison: 'exact' },
        ...contexts.map((context) => samlMarkup('saml:AuthnContextClassRef', {}, context)),
      );

/** Builds an AuthnRequest (SAML core, section 3.4.1) that asks for a response by HTTP-POST. */
export const authnRequestXml = (request: AuthnRequestToSend): string =>
  messageRoot(
    'AuthnRequest',
    request,
    {
      ForceAuthn: request.forceAuthn ? 'true' : null,
      ProtocolBinding: postBinding,
      AssertionConsumerServiceURL: request.acsUrl,
    },
    nameIdPolicy(request.nameIdFormat),
    requestedContext(request.authnContexts),
  );
