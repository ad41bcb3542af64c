import type { KeySetFailure } from '../../../application/ports/agent/key-set-source.js';
import type { ProviderEndpoints } from '../../../application/ports/agent/provider-endpoints.js';
import type { Cancellation } from '../../../application/ports/shared/cancellation.js';
import type { EndpointResponse } from '../../../domain/agent/oidc/endpoint-response.js';
import type { TokenRequest } from '../../../domain/agent/oidc/token-request.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import { type DocumentLimits, defaultEndpointLimits, introspectionLimits } from './document-request.js';
import { callEndpointLazily, LazyKeepAliveConnections } from './fetch-document-lazily.js';

const accept = 'application/json';

const basicAuthorization = ({ user, password }: NonNullable<TokenRequest['basic']>): string =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;

/** Calls the endpoints of OpenID providers with undici. */
export class UndiciProviderEndpoints implements ProviderEndpoints {
  readonly #limits: DocumentLimits;

  constructor(limits: DocumentLimits = defaultEndpointLimits) {
    this.#limits = limits;
  }

  requestTokens(
    url: string,
    { form, basic }: TokenRequest,
    cancellation: Cancellation,
  ): Promise<Result<EndpointResponse, KeySetFailure>> {
    const authorization = basic === null ? null : basicAuthorization(basic);
    return callEndpointLazily({ url, accept, authorization, form }, this.#limits, cancellation);
  }

  userinfo(
    url: string,
    accessToken: Secret,
    cancellation: Cancellation,
  ): Promise<Result<EndpointResponse, KeySetFailure>> {
    const authorization = `Bearer ${accessToken.reveal()}`;
    return callEndpointLazily({ url, accept, authorization, form: null }, this.#limits, cancellation);
  }
}

/** Calls introspection endpoints, over connections that stay open: each unknown token needs a call. */
export class UndiciIntrospectionEndpoint implements Pick<ProviderEndpoints, 'requestTokens'> {
  readonly #connections: LazyKeepAliveConnections;

  constructor(limits: DocumentLimits = introspectionLimits) {
    this.#connections = new LazyKeepAliveConnections(limits);
  }

  requestTokens(
    url: string,
    { form, basic }: TokenRequest,
    cancellation: Cancellation,
  ): Promise<Result<EndpointResponse, KeySetFailure>> {
    const authorization = basic === null ? null : basicAuthorization(basic);
    return this.#connections.call({ url, accept, authorization, form }, cancellation);
  }
}
