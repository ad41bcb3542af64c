import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type ClientMetadata, interactionPolicy, type JWK } from 'oidc-provider';
import { pairFor } from './test-tokens.js';

/** How the client of a login is registered. */
export interface RegisteredClient {
  readonly redirectUris: readonly string[];
  readonly metadata?: ClientMetadata | Readonly<Record<string, unknown>>;
}

export const loginClientSecret = 'a-secret-of-the-portal-0123456789-0123456789';

/** Asks a user again whose session has none of the requested contexts: the package leaves that to its users. */
const policyWithContexts = () => {
  const policy = interactionPolicy.base();
  const check = new interactionPolicy.Check('acr_not_met', 'a stronger sign-on is requested', ({ oidc }) => {
    const requested = String(oidc.params?.['acr_values'] ?? '');
    const isMet = requested === '' || requested.split(' ').includes(oidc.acr ?? '');
    return isMet || oidc.result?.login !== undefined
      ? interactionPolicy.Check.NO_NEED_TO_PROMPT
      : interactionPolicy.Check.REQUEST_PROMPT;
  });
  policy.get('login')?.checks.add(check);
  return policy;
};

/** The cookies of a browser at the provider, by name. */
export type ProviderCookies = Map<string, string>;

/**
 * A real OpenID provider (the package oidc-provider) on a free loopback port. Its only user, ann, is signed in without
 * a question. It puts no e-mail address into ID tokens, so userinfo is necessary.
 */
export class LiveLoginProvider {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /** What the path `/frame` answers: a page of the provider; null: nothing. */
  framePage: string | null = null;
  #provider: Provider | null = null;
  #port = 0;
  /** The authentication contexts of which a user may have the requested one. Without a request it is the first. */
  acrValues: readonly string[] = [];
  /** Requests by path, without the query. */
  readonly paths: string[] = [];
  /** Whether a sign-on brings a refresh token, which each use replaces. */
  givesRefreshTokens = false;
  /** Life of an access token in seconds, by its number from 1. */
  accessSecs: (issued: number) => number = () => 3_600;
  /** The token responses so far. */
  readonly issued: Readonly<Record<string, unknown>>[] = [];
  /** It neither does nor answers what the token endpoint is asked for. */
  dropsTokenRequests = false;
  /** It does it, and does not answer. */
  dropsTokenAnswers = false;
  /** Names of the sessions in ID tokens, in the order of the sign-ons. */
  readonly sids: string[] = [];
  /** Why clients could not be told of a sign-out. */
  readonly backChannelFaults: string[] = [];
  /** Called with each form that the provider posts to its client. */
  onLogoutToken: (body: string) => void = () => undefined;

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Every token that it has issued. */
  get issuedTexts(): readonly string[] {
    return this.issued.flatMap((tokens) =>
      ['access_token', 'refresh_token', 'id_token'].flatMap((name) => {
        const text = tokens[name];
        return typeof text === 'string' ? [text] : [];
      }),
    );
  }

  /** Registers the client `portal`. */
  register({ redirectUris, metadata = {} }: RegisteredClient): void {
    const jwk = {
      ...pairFor('ES256').privateKey.export({ format: 'jwk' }),
      kid: 'k1',
      alg: 'ES256',
      use: 'sig',
    } as JWK;
    const provider: Provider = new Provider(this.issuer, {
      acrValues: ['urn:example:pwd', 'urn:example:mfa'],
      clients: [
        {
          client_id: 'portal',
          client_secret: loginClientSecret,
          redirect_uris: [...redirectUris],
          grant_types: ['authorization_code', ...(this.givesRefreshTokens ? ['refresh_token'] : [])],
          response_types: ['code'],
          id_token_signed_response_alg: 'ES256',
          ...metadata,
        } as ClientMetadata,
      ],
      enabledJWA: {
        idTokenSigningAlgValues: ['ES256'],
        clientAuthSigningAlgValues: ['ES256', 'RS256', 'EdDSA'],
      },
      clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      cookies: { keys: ['a key for cookies of the provider'] },
      features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: false } },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, groups: ['staff', 'ops'] }),
      }),
      interactions: {
        url: (_context, interaction) => `/interaction/${interaction.uid}`,
        policy: policyWithContexts(),
      },
      jwks: { keys: [jwk] },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
      pkce: { required: () => true },
      issueRefreshToken: async () => this.givesRefreshTokens,
      rotateRefreshToken: true,
      ttl: { AccessToken: () => this.accessSecs(this.issued.length + 1) },
      // By itself the provider calls no client on loopback.
      fetch: (url, options) => {
        if (options?.body instanceof URLSearchParams) this.onLogoutToken(options.body.toString());
        return fetch(url, { ...options, dispatcher: undefined } as RequestInit);
      },
    });
    provider.use(async (context, next) => {
      await next();
      if (context.path !== '/token' || context.status !== 200) return;
      this.issued.push(context.body as Readonly<Record<string, unknown>>);
      if (this.dropsTokenAnswers) await new Promise(() => undefined);
    });
    provider.on('authorization.success', ({ oidc }) => {
      this.sids.push(oidc.session?.sidFor('portal') ?? '');
    });
    provider.on('backchannel.error', (_context, error) => void this.backChannelFaults.push(String(error)));
    this.#provider = provider;
  }

  /**
   * Follows the redirects of the provider as a browser does.
   * @param cookies those of the browser at the provider
   * @returns the URL of the callback
   */
  async authorize(location: string, cookies: ProviderCookies = new Map()): Promise<string> {
    let url = location;
    for (let step = 0; step < 10 && url.startsWith(this.issuer); step += 1) {
      const answer = await this.#visit(url, cookies);
      const next = answer.headers.get('location');
      if (next === null) throw new Error(`the provider answered with ${answer.status}: ${await answer.text()}`);
      url = new URL(next, url).href;
    }
    return url;
  }

  /** Signs the user out at the provider, which tells its clients by the back channel before it answers. */
  async endSession(cookies: ProviderCookies): Promise<void> {
    const page = await (await this.#visit(`${this.issuer}/session/end`, cookies)).text();
    const xsrf = /name="xsrf" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    const confirmed = await this.#visit(`${this.issuer}/session/end/confirm`, cookies, body);
    if (confirmed.status !== 303) throw new Error(`the provider answered with ${confirmed.status}`);
  }

  async #visit(url: string, cookies: ProviderCookies, body?: URLSearchParams): Promise<Response> {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const form = body === undefined ? {} : { method: 'POST', body };
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie }, ...form });
    for (const line of answer.headers.getSetCookie()) {
      const pair = line.split(';')[0] ?? '';
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return answer;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    this.paths.push(path);
    if (path === '/frame' && this.framePage !== null) {
      response.writeHead(200, { 'content-type': 'text/html' }).end(this.framePage);
      return;
    }
    const provider = this.#provider;
    if (provider === null) {
      response.writeHead(503).end();
      return;
    }
    if (path === '/token' && this.dropsTokenRequests) return;
    if (!path.startsWith('/interaction/')) return provider.callback()(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const requested = String(params['acr_values'] ?? '').split(' ');
    const acr = this.acrValues.find((each) => requested.includes(each)) ?? this.acrValues[0];
    await provider.interactionFinished(
      request,
      response,
      { login: { accountId: 'ann', ...(acr !== undefined && { acr }) } },
      { mergeWithLastSubmission: false },
    );
  }
}
