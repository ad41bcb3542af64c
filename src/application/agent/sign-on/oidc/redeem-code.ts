import {
  type EndpointResponse,
  type ReceivedTokens,
  readTokenResponse,
} from '../../../../domain/agent/oidc/endpoint-response.js';
import type { OidcRejection } from '../../../../domain/agent/oidc/oidc-rejection.js';
import type { ProviderMetadata } from '../../../../domain/agent/oidc/provider-metadata.js';
import {
  type ClientProof,
  type CodeGrant,
  clientAssertionClaims,
  codeRequest,
  secretMethod,
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

export interface CodeRedemption {
  readonly clientId: string;
  readonly credential: ClientCredential;
  readonly endpoints: Pick<ProviderEndpoints, 'requestTokens'>;
  readonly random: Pick<Random, 'uuid'>;
  readonly clock: Pick<Clock, 'wallMs'>;
}

/** Why a code brought no tokens. */
export interface RedeemFailure {
  readonly reason:
    | Extract<OidcRejection, 'code_refused' | 'client_refused' | 'malformed_token_response' | 'token_endpoint_failed'>
    | 'cancelled';
  /** One clause for the log, without any of the answer. */
  readonly detail: string;
}

const transportFailed = ({ code, detail }: KeySetFailure): RedeemFailure => ({
  reason: code === 'cancelled' ? 'cancelled' : 'token_endpoint_failed',
  detail: `the token endpoint: ${code}: ${detail}`,
});

const responseDetail = ({ status, contentType }: EndpointResponse): string =>
  `the token endpoint answered with status ${status} and ${contentType === null ? 'no' : 'a'} content type`;

/** Exchanges a code for tokens at the token endpoint of a provider (RFC 6749, section 4.1.3). Never rejects. */
export class RedeemCode {
  readonly #parts: CodeRedemption;
  /** The provider has refused Basic authentication and accepted the secret in the form. */
  #postsSecret = false;

  constructor(parts: CodeRedemption) {
    this.#parts = parts;
  }

  async redeem(
    { tokenUrl, clientMethods }: Pick<ProviderMetadata, 'tokenUrl' | 'clientMethods'>,
    grant: CodeGrant,
    cancellation: Cancellation,
  ): Promise<Result<ReceivedTokens, RedeemFailure>> {
    const proof = await this.#proof(tokenUrl, clientMethods);
    if (proof === null) return err({ reason: 'client_refused', detail: 'the client key cannot sign' });
    const tokens = await this.#ask(tokenUrl, grant, proof, cancellation);
    const isRefused = !tokens.ok && tokens.error.reason === 'client_refused';
    if (!isRefused || proof.method !== 'client_secret_basic') return tokens;
    // A provider may support both methods, and expect the other one of this client. It has not spent the code.
    if (clientMethods !== null && !clientMethods.includes('client_secret_post')) return tokens;
    const posted = await this.#ask(tokenUrl, grant, { ...proof, method: 'client_secret_post' }, cancellation);
    if (!posted.ok) return tokens;
    this.#postsSecret = true;
    return posted;
  }

  async #ask(
    tokenUrl: string,
    grant: CodeGrant,
    proof: ClientProof,
    cancellation: Cancellation,
  ): Promise<Result<ReceivedTokens, RedeemFailure>> {
    const { clientId, endpoints } = this.#parts;
    const response = await endpoints.requestTokens(tokenUrl, codeRequest(clientId, grant, proof), cancellation);
    if (!response.ok) return err(transportFailed(response.error));
    const tokens = readTokenResponse(response.value);
    return tokens.ok ? tokens : err({ reason: tokens.error, detail: responseDetail(response.value) });
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
