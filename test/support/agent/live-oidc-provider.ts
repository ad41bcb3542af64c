import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type JWK } from 'oidc-provider';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import { pairFor } from './test-tokens.js';

export type ProviderAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA';

/** What a signing key of the provider is made for. */
export interface ProviderKey {
  readonly kid: string;
  readonly algorithm: ProviderAlgorithm;
}

export interface TokenRequest {
  /** Scopes asked for, separated by spaces. */
  readonly scope?: string;
  /** Picks the audience: the identifier of a resource server. */
  readonly resource?: string;
  /** Binds the token to the key of a proof (RFC 9449, section 5), from the URL of the token endpoint. */
  readonly proof?: (url: string) => Promise<string>;
}

/** Resource servers whose tokens are opaque: for ten minutes, and for two seconds. */
export const opaqueResource = 'urn:opaque';
export const briefResource = 'urn:brief';
const opaqueAudiences: readonly unknown[] = ['opaque', 'brief'];

const secret = 'a-secret-of-the-client-that-tests-use-0123456789';
const scopes = ['read', 'write'];
/** Seconds. */
const tokenLifetime = 600;

const privateJwk = ({ kid, algorithm }: ProviderKey): JWK =>
  ({ ...pairFor(algorithm).privateKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' }) as JWK;

/** What the provider does with requests for its key set, instead of answering them. */
export type KeySetDisturbance = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A real OpenID provider (the package oidc-provider) on a free loopback port. It issues JWT access tokens to one
 * client; its keys can be changed while it runs.
 */
export class LiveOidcProvider {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #made = new Map<string, JWK>();
  #handle: ReturnType<Provider['callback']> | null = null;
  #port = 0;
  /** Requests for the key set so far. */
  keySetRequests = 0;
  /** Set to have requests for the key set go wrong. */
  disturbance: KeySetDisturbance | null = null;

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get jwksUrl(): string {
    return `${this.issuer}/jwks`;
  }

  /** Starts with one signing key. */
  async start(key: ProviderKey): Promise<void> {
    await this.#listen(0);
    this.publish([key], key);
  }

  /** Publishes these keys, and signs with one of them. A key with a `kid` used before is the same key. */
  publish(keys: readonly ProviderKey[], signing: ProviderKey): void {
    const jwks = keys.map((key) => {
      const jwk = this.#made.get(key.kid) ?? privateJwk(key);
      this.#made.set(key.kid, jwk);
      return jwk;
    });
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: 'orders-service',
          client_secret: secret,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          scope: scopes.join(' '),
          id_token_signed_response_alg: signing.algorithm,
        },
      ],
      enabledJWA: { idTokenSigningAlgValues: [signing.algorithm] },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        dPoP: { enabled: true },
        introspection: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => 'urn:api',
          useGrantedResource: () => true,
          getResourceServerInfo: (_context, resource) => ({
            scope: scopes.join(' '),
            audience: resource.replace('urn:', ''),
            accessTokenTTL: resource === briefResource ? 2 : tokenLifetime,
            accessTokenFormat: [opaqueResource, briefResource].includes(resource) ? 'opaque' : 'jwt',
            jwt: { sign: { alg: signing.algorithm, kid: signing.kid } },
          }),
        },
      },
      // The tokens of a client are about no user; those of the opaque resources name the client.
      extraTokenClaims: (_context, token) =>
        opaqueAudiences.includes(token.aud) ? { sub: 'orders-service' } : undefined,
      scopes,
      ttl: { ClientCredentials: (_context, token) => token.resourceServer?.accessTokenTTL ?? tokenLifetime },
      jwks: { keys: jwks },
    });
    this.#handle = provider.callback();
  }

  /** The `introspection` block of the client of this provider. */
  get introspection(): JsonObject {
    return { url: `${this.issuer}/token/introspection`, 'client-id': 'orders-service', 'client-secret': secret };
  }

  /** Revokes a token (RFC 7009). */
  async revoke(token: string): Promise<void> {
    await fetch(`${this.issuer}/token/revocation`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`orders-service:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ token }),
    });
  }

  /** An access token, as the client gets it at the token endpoint. */
  async token({ scope = 'read write', resource = 'urn:api', proof }: TokenRequest = {}): Promise<string> {
    const url = `${this.issuer}/token`;
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`orders-service:${secret}`).toString('base64')}`,
        ...(proof !== undefined && { DPoP: await proof(url) }),
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope, resource }),
    });
    const body = (await answer.json()) as { readonly access_token?: string };
    if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  /** The private half of a published key: for tokens that the provider itself would not issue. */
  privateKey(kid: string): KeyObject {
    const jwk = this.#made.get(kid);
    if (jwk === undefined) throw new Error(`there is no key ${kid}`);
    return createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  }

  /** Nothing answers on its port any more. */
  async goDown(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async comeBack(): Promise<void> {
    await this.#listen(this.#port);
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.goDown();
  }

  async #listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/jwks') {
      this.keySetRequests += 1;
      if (this.disturbance !== null) {
        this.disturbance(request, response);
        return;
      }
    }
    this.#handle?.(request, response);
  }
}
