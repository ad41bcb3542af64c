import { type ExchangeCompany, tokenType } from '../exchange-company.js';
import type { LiveOidcProvider, TokenRequest } from '../live-oidc-provider.js';
import { exchangeAssertion } from '../saml-exchange.js';
import type { Asked, ExchangeGround } from './exchange-row.js';

/** A token of the identity provider, of a service that acts. */
export const serviceToken = (company: ExchangeCompany, claims: object = {}): Promise<string> =>
  company.partnerToken({ sub: 'svc-a', scope: undefined, client_id: 'svc-a', ...claims });

/** An exchange whose subject shows an ID token of the identity provider. */
export const withIdToken = async (
  ground: ExchangeGround,
  claims: object = {},
  header: object = {},
): Promise<Asked> => ({
  fields: {
    subject_token: await ground.partnerToken({ scope: undefined, client_id: undefined, ...claims }, { ...header }),
    subject_token_type: tokenType('id_token'),
  },
});

/** An exchange whose subject shows an assertion for the token endpoint. */
export const withAssertionOfIdp = (
  ground: ExchangeGround,
  ...changes: Parameters<typeof exchangeAssertion> extends [string, ...infer Rest] ? Rest : never
): Asked => ({
  fields: { subject_token: exchangeAssertion(ground.endpointUrl, ...changes), subject_token_type: tokenType('saml2') },
});

/** An exchange whose subject shows an access token of the live provider, changed before it is shown. */
export const withProviderToken = async (
  provider: LiveOidcProvider,
  request: TokenRequest = {},
  change: (token: string) => string | Promise<string> = (token) => token,
): Promise<Asked> => ({
  fields: {
    subject_token: await change(await provider.token(request)),
    subject_token_type: tokenType('access_token'),
  },
});
