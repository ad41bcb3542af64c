import type { TokenExchangeOptions } from '../configuration/token-exchange-options.js';
import type { JsonObject } from '../shared/json.js';
import type { AsymmetricAlgorithm } from '../tokens/signature-algorithm.js';
import { tokenExchangeGrant } from './read-exchange-request.js';

/** What of the keys is told in the metadata. */
export interface MetadataKeys {
  /** A key is published at `jwksUrl`; not so where the only keys are secrets. */
  readonly arePublished: boolean;
  /** Algorithms of the keys of clients. */
  readonly ofClients: readonly AsymmetricAlgorithm[];
}

const authenticationMethods = ({ clients }: TokenExchangeOptions): readonly string[] => {
  if (clients === null) return ['none'];
  const secrets = clients.some((client) => client.secrets.length > 0);
  const keys = clients.some((client) => client.publicKeyFiles.length > 0);
  return [...(secrets ? ['client_secret_basic', 'client_secret_post'] : []), ...(keys ? ['private_key_jwt'] : [])];
};

/**
 * What clients and those who verify tokens may know of the issuer (RFC 8414, section 2). Scopes are those that everybody may ask for:
 * what single clients may have is nobody else's business.
 */
export const issuerMetadata = (options: TokenExchangeOptions, keys: MetadataKeys): JsonObject => {
  const methods = authenticationMethods(options);
  const scopes = options.allowedScopes ?? [];
  return {
    issuer: options.issuer,
    token_endpoint: options.endpointUrl,
    ...(keys.arePublished && { jwks_uri: options.jwksUrl }),
    grant_types_supported: [tokenExchangeGrant],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: methods,
    ...(methods.includes('private_key_jwt') && {
      token_endpoint_auth_signing_alg_values_supported: [...new Set(keys.ofClients)],
    }),
    ...(scopes.length > 0 && { scopes_supported: scopes }),
  };
};
