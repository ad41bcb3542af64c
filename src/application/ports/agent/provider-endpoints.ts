import type { EndpointResponse } from '../../../domain/agent/oidc/endpoint-response.js';
import type { HashName } from '../../../domain/agent/oidc/token-hash.js';
import type { TokenRequest } from '../../../domain/agent/oidc/token-request.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import type { Cancellation } from '../shared/cancellation.js';
import type { KeySetFailure } from './key-set-source.js';

/**
 * Calls endpoints of an OpenID provider. Limits time and size of a response; does not follow
 * redirects, which count as a response without tokens. Never rejects. A cancelled call closes its
 * connection and fails at once.
 */
export interface ProviderEndpoints {
  /** Posts to the token endpoint. */
  requestTokens(
    url: string,
    request: TokenRequest,
    cancellation: Cancellation,
  ): Promise<Result<EndpointResponse, KeySetFailure>>;
  /** Gets the claims of a user with an access token. */
  userinfo(
    url: string,
    accessToken: Secret,
    cancellation: Cancellation,
  ): Promise<Result<EndpointResponse, KeySetFailure>>;
}

/** Digests of texts. */
export interface TokenHashes {
  /** The digest of a text in UTF-8. */
  hash(name: HashName, text: string): Uint8Array;
}
