import { createHash, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pairFor, publicJwk, signToken } from './test-tokens.js';

/** Claims and header members that a lie changes; undefined removes a member. */
export type Changes = Readonly<Record<string, unknown>>;

/** What the provider knows about a code that it gave. */
export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly nonce: string;
  readonly challenge: string;
}

/** What the provider does wrong. Without a member, it does the right thing. */
export interface Lies {
  readonly claims?: (claims: Changes, code: string) => Changes;
  readonly header?: Changes;
  /** Makes the ID token instead. */
  readonly idToken?: (claims: Changes, provider: LyingOidcProvider) => unknown;
  /** Changes the members of the token response. */
  readonly members?: (members: Changes) => unknown;
  /** Answers the token request instead. */
  readonly token?: (response: ServerResponse, members: Changes) => void;
  /** Answers the request for a refresh instead. */
  readonly refresh?: (response: ServerResponse, members: Changes, claims: Changes) => void;
  readonly userinfo?: (response: ServerResponse, claims: Changes) => void;
  readonly discovery?: Changes;
  /** Keys of the set instead of the published ones. */
  readonly keys?: readonly Changes[];
}

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/**
 * An OpenID provider on a free loopback port that lies on demand. Without lies it keeps the protocol: it checks client,
 * redirect URI and code verifier, and gives tokens for a code once.
 */
export class LyingOidcProvider {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #codes = new Map<string, IssuedCode>();
  /** Refresh tokens that count, with the time of their authentication. Each counts once. */
  readonly #refreshTokens = new Map<string, number>();
  #lastRefresh = 0;
  readonly #nowSecs: () => number;
  /** Life of access tokens, in seconds. */
  accessSecs: number | undefined = 300;
  /** Whether a sign-on brings a refresh token. */
  givesRefreshTokens = false;
  /** Whether a refresh brings a new refresh token and spends the former one. */
  rotates = true;
  readonly key = pairFor('ES256');
  kid = 'k1';
  /** Path of the issuer, as in `/realms/company`. */
  issuerPath = '';
  clientSecret = 'the secret of the portal & 100% safe';
  lies: Lies = {};
  /** Claims of the user, in every ID token. */
  user: Changes = { sub: 'ann', email: 'ann@example.com', email_verified: true };
  userinfo: Changes = {};
  /** What came to the token endpoint. */
  readonly requests: { readonly authorization: string | undefined; readonly form: URLSearchParams }[] = [];
  /** Keys of the set. */
  published: readonly { readonly kid: string; readonly key: KeyObject }[];
  #port = 0;
  #lastCode = 0;

  constructor(nowSecs: () => number) {
    this.#nowSecs = nowSecs;
    this.published = [{ kid: this.kid, key: this.key.publicKey }];
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}${this.issuerPath}`;
  }

  /** The issuer without a final slash: the beginning of the endpoints. */
  get #base(): string {
    return this.issuer.replace(/\/$/, '');
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Authenticates the user at the authorization endpoint, and gives a code. */
  authorize(location: string, clientId = 'portal'): { readonly state: string; readonly code: string } {
    const query = new URL(location).searchParams;
    this.#lastCode += 1;
    const code = `code-${this.#lastCode}`;
    this.#codes.set(code, {
      clientId,
      redirectUri: query.get('redirect_uri') ?? '',
      nonce: query.get('nonce') ?? '',
      challenge: query.get('code_challenge') ?? '',
    });
    return { state: query.get('state') ?? '', code };
  }

  sign(
    claims: Changes,
    header: Changes = {},
    key: KeyObject | string = this.key.privateKey,
    algorithm = 'ES256',
  ): string {
    return signToken(algorithm as 'ES256', key, claims, { kid: this.kid, ...header });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, origin } = new URL(request.url ?? '/', this.issuer);
    switch (`${origin}${pathname}`.slice(this.#base.length)) {
      case '/.well-known/openid-configuration':
        return json(response, {
          issuer: this.issuer,
          authorization_endpoint: `${this.#base}/authorize`,
          token_endpoint: `${this.#base}/token`,
          jwks_uri: `${this.#base}/jwks`,
          userinfo_endpoint: `${this.#base}/userinfo`,
          ...this.lies.discovery,
        });
      case '/jwks':
        return json(response, {
          keys:
            this.lies.keys ??
            this.published.map(({ kid, key }) => ({ ...publicJwk(key), kid, alg: 'ES256', use: 'sig' })),
        });
      case '/token':
        return this.#token(request, response);
      case '/userinfo':
        if (this.lies.userinfo !== undefined) return this.lies.userinfo(response, { ...this.user, ...this.userinfo });
        return json(response, { ...this.user, ...this.userinfo });
      default:
        response.writeHead(404).end();
    }
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await bodyOf(request));
    this.requests.push({ authorization: request.headers.authorization, form });
    if (form.get('grant_type') === 'refresh_token') return this.#refresh(request, response, form);
    const code = form.get('code') ?? '';
    const issued = this.#codes.get(code);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const basic = Buffer.from(`portal:${encodeURIComponent(this.clientSecret)}`).toString('base64');
    const { authorization } = request.headers;
    const hasSecret =
      authorization === undefined
        ? form.get('client_id') === 'portal' && form.get('client_secret') === this.clientSecret
        : authorization === `Basic ${basic}`;
    const isClient = hasSecret && issued?.clientId === 'portal';
    if (!isClient || issued.redirectUri !== form.get('redirect_uri') || issued.challenge !== verifier) {
      return json(response, { error: 'invalid_grant' }, 400);
    }
    this.#codes.delete(code);
    const accessToken = `access-${code}`;
    const now = this.#nowSecs();
    const claims: Changes = {
      iss: this.issuer,
      aud: 'portal',
      iat: now,
      exp: now + 300,
      auth_time: now,
      nonce: issued.nonce,
      at_hash: hashOf(accessToken),
      c_hash: hashOf(code),
      ...this.user,
    };
    const told = this.lies.claims?.(claims, code) ?? claims;
    const idToken = this.lies.idToken?.(told, this) ?? this.sign(told, this.lies.header);
    const refreshToken = this.givesRefreshTokens ? this.#newRefreshToken(now) : undefined;
    const members = {
      token_type: 'Bearer',
      access_token: accessToken,
      expires_in: this.accessSecs,
      id_token: idToken,
      refresh_token: refreshToken,
    };
    if (this.lies.token !== undefined) return this.lies.token(response, members);
    json(response, this.lies.members?.(members) ?? members);
  }
  /** The refreshes that were asked for. */
  get refreshes(): number {
    return this.requests.filter(({ form }) => form.get('grant_type') === 'refresh_token').length;
  }

  #newRefreshToken(authTime: number): string {
    this.#lastRefresh += 1;
    const token = `refresh-${this.#lastRefresh}`;
    this.#refreshTokens.set(token, authTime);
    return token;
  }

  #refresh(request: IncomingMessage, response: ServerResponse, form: URLSearchParams): void {
    const former = form.get('refresh_token') ?? '';
    const authTime = this.#refreshTokens.get(former);
    if (!this.#isClient(request) || authTime === undefined) {
      const error = authTime === undefined ? 'invalid_grant' : 'invalid_client';
      json(response, { error }, 400);
      return;
    }
    if (this.rotates) this.#refreshTokens.delete(former);
    const refreshToken = this.rotates ? this.#newRefreshToken(authTime) : undefined;
    const accessToken = `access-of-${refreshToken ?? former}`;
    const now = this.#nowSecs();
    const claims: Changes = {
      iss: this.issuer,
      aud: 'portal',
      iat: now,
      exp: now + 300,
      auth_time: authTime,
      at_hash: hashOf(accessToken),
      ...this.user,
    };
    const members = {
      token_type: 'Bearer',
      access_token: accessToken,
      expires_in: this.accessSecs,
      refresh_token: refreshToken,
      id_token: this.sign(claims),
    };
    if (this.lies.refresh === undefined) json(response, members);
    else this.lies.refresh(response, members, claims);
  }

  #isClient(request: IncomingMessage): boolean {
    const basic = Buffer.from(`portal:${encodeURIComponent(this.clientSecret)}`).toString('base64');
    return request.headers.authorization === `Basic ${basic}`;
  }
}
