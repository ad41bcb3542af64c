import type { JsonObject } from '../../shared/json.js';
import type { AsymmetricAlgorithm } from '../tokens/signature-algorithm.js';
import { tokenExchangeGrant } from './read-exchange-request.js';

/** The authentication methods of clients. */
export interface ClientMethods {
  /** Some clients have a secret. */
  readonly bySecret: boolean;
  /** Some clients have a key. */
  readonly byKey: boolean;
  /** Algorithms of their keys. */
  readonly algorithms: readonly AsymmetricAlgorithm[];
}

/** The public properties of an issuer. */
export interface DescribedIssuer {
  readonly issuer: string;
  readonly endpointUrl: string;
  /** Null: only secrets are configured, so no key is published. */
  readonly jwksUrl: string | null;
  /** Null: no clients are configured. */
  readonly clients: ClientMethods | null;
  /** Scopes that everyone may request. The scopes of single clients are private. */
  readonly scopes: readonly string[];
}

const authenticationMethods = (clients: ClientMethods | null): readonly string[] => {
  if (clients === null) return ['none'];
  const { bySecret, byKey } = clients;
  return [...(bySecret ? ['client_secret_basic', 'client_secret_post'] : []), ...(byKey ? ['private_key_jwt'] : [])];
};

/** The metadata document of the issuer (RFC 8414, section 2). */
export const issuerMetadata = ({ issuer, endpointUrl, jwksUrl, clients, scopes }: DescribedIssuer): JsonObject => ({
  issuer,
  token_endpoint: endpointUrl,
  ...(jwksUrl !== null && { jwks_uri: jwksUrl }),
  grant_types_supported: [tokenExchangeGrant],
  response_types_supported: [],
  token_endpoint_auth_methods_supported: authenticationMethods(clients),
  ...(clients?.byKey === true && {
    token_endpoint_auth_signing_alg_values_supported: [...new Set(clients.algorithms)],
  }),
  ...(scopes.length > 0 && { scopes_supported: scopes }),
});
