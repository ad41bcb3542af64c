import {
  type EndpointResponse,
  type ReceivedTokens,
  type RefreshedTokens,
  readRefreshResponse,
  readTokenResponse,
  type TokenResponseFault,
} from '../../../../domain/agent/oidc/endpoint-response.js';
import type { OidcRejection } from '../../../../domain/agent/oidc/oidc-rejection.js';
import type { ProviderMetadata } from '../../../../domain/agent/oidc/provider-metadata.js';
import {
  type ClientProof,
  type CodeGrant,
  clientAssertionClaims,
  codeParameters,
  type GrantParameters,
  refreshParameters,
  secretMethod,
  tokenRequest,
} from '../../../../domain/agent/oidc/token-request.js';
import { err, type Result } from '../../../../domain/shared/result.js';
import type { Secret } from '../../../../domain/shared/secret.js';
import type { KeySetFailure } from '../../../ports/agent/key-set-source.js';
import type { ProviderEndpoints } from '../../../ports/agent/provider-endpoints.js';
import type { SigningKey } from '../../../ports/agent/token-signing-keys.js';
import type { Cancellation } from '../../../ports/shared/cancellation.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Random } from '../../../ports/shared/random.js';

/** How a client proves to the token endpoint who it is. */
export type ClientCredential =
  | { readonly kind: 'secret'; readonly secret: Secret }
  | { readonly kind: 'key'; readonly key: Pick<SigningKey, 'sign'> }
  | { readonly kind: 'public' };

export interface TokenEndpointServices {
  readonly clientId: string;
  readonly credential: ClientCredential;
  readonly endpoints: Pick<ProviderEndpoints, 'requestTokens'>;
  readonly random: Pick<Random, 'uuid'>;
  readonly clock: Pick<Clock, 'wallMs'>;
}

/** Why a grant brought no tokens. */
export interface TokenEndpointFailure {
  readonly reason:
    | Extract<OidcRejection, 'code_refused' | 'client_refused' | 'malformed_token_response' | 'token_endpoint_failed'>
    | 'cancelled';
  /** One clause for the log, without any of the answer. */
  readonly detail: string;
}

const transportFailed = ({ code, detail }: KeySetFailure): TokenEndpointFailure => ({
  reason: code === 'cancelled' ? 'cancelled' : 'token_endpoint_failed',
  detail: `the token endpoint: ${code}: ${detail}`,
});

const responseDetail = ({ status, contentType }: EndpointResponse): string =>
  `the token endpoint answered with status ${status} and ${contentType === null ? 'no' : 'a'} content type`;

type Read<Tokens> = (response: EndpointResponse) => Result<Tokens, TokenResponseFault>;
type EndpointMetadata = Pick<ProviderMetadata, 'tokenUrl' | 'clientMethods'>;

/** The token endpoint of a provider, for one client. No method rejects. */
export class ProviderTokenEndpoint {
  readonly #parts: TokenEndpointServices;
  /** The provider has refused Basic authentication, and not the secret in the form. */
  #postsSecret = false;

  constructor(parts: TokenEndpointServices) {
    this.#parts = parts;
  }

  /** Exchanges a code for tokens. */
  redeem(
    metadata: EndpointMetadata,
    grant: CodeGrant,
    cancellation: Cancellation,
  ): Promise<Result<ReceivedTokens, TokenEndpointFailure>> {
    return this.#exchange(metadata, codeParameters(grant), readTokenResponse, cancellation);
  }

  /** Exchanges a refresh token for tokens. `code_refused`: the refresh token is not valid. */
  refresh(
    metadata: EndpointMetadata,
    refreshToken: string,
    cancellation: Cancellation,
  ): Promise<Result<RefreshedTokens, TokenEndpointFailure>> {
    return this.#exchange(metadata, refreshParameters(refreshToken), readRefreshResponse, cancellation);
  }

  async #exchange<Tokens>(
    { tokenUrl, clientMethods }: EndpointMetadata,
    grant: GrantParameters,
    read: Read<Tokens>,
    cancellation: Cancellation,
  ): Promise<Result<Tokens, TokenEndpointFailure>> {
    const proof = await this.#proof(tokenUrl, clientMethods);
    if (proof === null) return err({ reason: 'client_refused', detail: 'the client key cannot sign' });
    const ask = async (by: ClientProof): Promise<Result<Tokens, TokenEndpointFailure>> => {
      const { clientId, endpoints } = this.#parts;
      const response = await endpoints.requestTokens(tokenUrl, tokenRequest(clientId, grant, by), cancellation);
      if (!response.ok) return err(transportFailed(response.error));
      const tokens = read(response.value);
      return tokens.ok ? tokens : err({ reason: tokens.error, detail: responseDetail(response.value) });
    };
    const tokens = await ask(proof);
    const isRefused = !tokens.ok && tokens.error.reason === 'client_refused';
    if (!isRefused || proof.method !== 'client_secret_basic') return tokens;
    // A provider may support both methods, and expect the other one of this client. It has not spent the grant.
    if (clientMethods !== null && !clientMethods.includes('client_secret_post')) return tokens;
    const posted = await ask({ ...proof, method: 'client_secret_post' });
    if (posted.ok || posted.error.reason === 'code_refused') this.#postsSecret = true;
    return posted.ok ? posted : tokens;
  }

  /** Null: the key cannot sign. */
  async #proof(tokenUrl: string, clientMethods: readonly string[] | null): Promise<ClientProof | null> {
    const { clientId, credential, random, clock } = this.#parts;
    switch (credential.kind) {
      case 'public':
        return { method: 'none' };
      case 'secret':
        return {
          method: this.#postsSecret ? 'client_secret_post' : secretMethod(clientMethods),
          secret: credential.secret.reveal(),
        };
      case 'key': {
        const claims = clientAssertionClaims(clientId, tokenUrl, random.uuid(), clock.wallMs());
        try {
          return { method: 'private_key_jwt', assertion: await credential.key.sign('JWT', claims) };
        } catch {
          return null;
        }
      }
    }
  }
}
