import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';
import type { Changes, Lies, LyingOidcProvider } from '../../../../../support/agent/lying-oidc-provider.js';
import {
  loginConfig,
  type OidcBrowser,
  oidcPlace,
  sessionCookie,
  shortLimits,
} from '../../../../../support/agent/oidc-agent.js';
import { publicPem, rsaPair, signInput, tokenPart } from '../../../../../support/agent/test-tokens.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** A lie of the provider, and how the sign-on ends. */
interface Case {
  readonly title: string;
  readonly reason: string;
  readonly status?: number;
  readonly lies?: Lies;
  /** Changes the provider before the callback. */
  readonly before?: (provider: LyingOidcProvider) => void;
  /** The parameters of the callback, made from the honest ones. */
  readonly callback?: (honest: Record<string, string>, provider: LyingOidcProvider) => Record<string, string> | string;
  readonly login?: JsonObject;
  /** Absent: the agent waits as long as it takes. */
  readonly limits?: typeof shortLimits;
}

const change = (changes: Changes): Lies => ({ claims: (claims) => ({ ...claims, ...changes }) });
const tampered = (title: string, reason: string, changes: Changes): Case => ({ title, reason, lies: change(changes) });
const members = (title: string, reason: string, changes: Changes): Case => ({
  title,
  reason,
  lies: { members: (honest) => ({ ...honest, ...changes }) },
});
const sha512half = (text: string): string =>
  createHash('sha512').update(text).digest().subarray(0, 32).toString('base64url');

const stranger = rsaPair();

/** Claims of the ID token. */
const claimCases: readonly Case[] = [
  tampered('another nonce', 'wrong_nonce', { nonce: 'n-0S6_WzA2Mj' }),
  tampered('no nonce', 'wrong_nonce', { nonce: undefined }),
  tampered('a list of nonces', 'wrong_nonce', { nonce: ['x'] }),
  tampered('another issuer', 'unknown_issuer', { iss: 'https://evil.example' }),
  tampered('no issuer', 'unknown_issuer', { iss: undefined }),
  tampered('another audience', 'wrong_audience', { aud: 'other' }),
  tampered('no audience', 'wrong_audience', { aud: undefined }),
  tampered('an empty list of audiences', 'wrong_audience', { aud: [] }),
  tampered('several audiences and no authorized party', 'wrong_party', { aud: ['portal', 'other'] }),
  tampered('another authorized party', 'wrong_party', { azp: 'other' }),
  tampered('several audiences and another authorized party', 'wrong_party', { aud: ['portal', 'other'], azp: 'other' }),
  tampered('an expiry in the past', 'expired', { exp: 1_700_000_000 }),
  tampered('no expiry', 'missing_expiry', { exp: undefined }),
  tampered('an expiry that is text', 'malformed', { exp: '9999999999' }),
  tampered('an issue time in the future', 'issued_in_future', { iat: 4_000_000_000, exp: 4_100_000_000 }),
  tampered('an issue time long ago', 'issued_too_long_ago', { iat: 1_000_000_000 }),
  tampered('no issue time', 'missing_issued_at', { iat: undefined }),
  tampered('a start in the future', 'not_yet_valid', { nbf: 4_000_000_000 }),
  tampered('the hash of another access token', 'wrong_access_token_hash', { at_hash: '77QmUPtjPfzWtF2AnpK9RQ' }),
  tampered('an empty hash of the access token', 'wrong_access_token_hash', { at_hash: '' }),
  {
    title: 'a hash of the access token by another function',
    reason: 'wrong_access_token_hash',
    lies: { claims: (claims, code) => ({ ...claims, at_hash: sha512half(`access-${code}`) }) },
  },
  tampered('the hash of another code', 'wrong_code_hash', { c_hash: 'LDktKdoQak3Pk0cnXxCltA' }),
  tampered('a hash of the code that is null', 'wrong_code_hash', { c_hash: null }),
  tampered('no subject', 'unusable_subject', { sub: undefined }),
  tampered('an empty subject', 'unusable_subject', { sub: '' }),
  tampered('a subject that is a number', 'unusable_subject', { sub: 7 }),
  tampered('a subject that is a list', 'unusable_subject', { sub: ['ann'] }),
  tampered('a subject with a line break at its end', 'unusable_subject', { sub: 'ann\n' }),
];

/** Signature and form of the ID token. */
const tokenCases: readonly Case[] = [
  {
    title: 'the algorithm none',
    reason: 'wrong_algorithm',
    lies: { idToken: (claims) => `${tokenPart({ alg: 'none', typ: 'JWT' })}.${tokenPart(claims)}.` },
  },
  {
    title: 'HS256 with the client secret',
    reason: 'wrong_algorithm',
    lies: { idToken: (claims, provider) => provider.sign(claims, {}, provider.clientSecret, 'HS256') },
  },
  {
    title: 'HS256 with the public key',
    reason: 'wrong_algorithm',
    lies: { idToken: (claims, provider) => provider.sign(claims, {}, publicPem(provider.key.publicKey), 'HS256') },
  },
  {
    title: 'an algorithm that its key does not have',
    reason: 'wrong_algorithm',
    lies: { idToken: (claims, provider) => provider.sign(claims, {}, stranger.privateKey, 'RS256') },
  },
  { title: 'an unknown key', reason: 'unknown_key', lies: { header: { kid: 'unknown' } } },
  {
    title: 'a key set that was swapped',
    reason: 'unknown_key',
    before: (provider) => {
      provider.kid = 'k2';
      provider.published = [{ kid: 'k3', key: provider.key.publicKey }];
    },
  },
  {
    title: 'the signature of another token',
    reason: 'bad_signature',
    lies: {
      idToken: (claims, provider) => {
        const [header, , signature] = provider.sign(claims).split('.');
        return `${header}.${tokenPart({ ...claims, sub: 'admin' })}.${signature}`;
      },
    },
  },
  {
    title: 'a key in its header',
    reason: 'bad_signature',
    lies: {
      idToken: (claims, provider) => {
        const { privateKey, publicKey } = stranger;
        return provider.sign(claims, { alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) }, privateKey, 'RS256');
      },
    },
  },
  { title: 'a critical extension', reason: 'critical_header', lies: { header: { crit: ['exp'] } } },
  { title: 'the type of a logout token', reason: 'wrong_type', lies: { header: { typ: 'logout+jwt' } } },
  { title: 'the type of an access token', reason: 'wrong_type', lies: { header: { typ: 'at+jwt' } } },
  {
    title: 'repeated claims, well signed',
    reason: 'malformed',
    lies: {
      idToken: (claims, provider) => {
        const payload = Buffer.from(`{"sub":"admin",${JSON.stringify(claims).slice(1)}`).toString('base64url');
        const input = `${provider.sign(claims).split('.')[0]}.${payload}`;
        return `${input}.${signInput('ES256', provider.key.privateKey, input)}`;
      },
    },
  },
  { title: 'two parts', reason: 'malformed', lies: { idToken: () => 'a.b' } },
  { title: 'five parts, as if encrypted', reason: 'malformed', lies: { idToken: () => 'a.b.c.d.e' } },
  { title: 'text that is no token', reason: 'malformed', lies: { idToken: () => '<script>alert(1)</script>' } },
];

const raw =
  (status: number, headers: Record<string, string>, body: string | Buffer = ''): NonNullable<Lies['token']> =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** The answer of the token endpoint. */
const endpointCases: readonly Case[] = [
  members('no ID token', 'malformed_token_response', { id_token: undefined }),
  members('no access token', 'malformed_token_response', { access_token: undefined }),
  members('another token type', 'malformed_token_response', { token_type: 'MAC' }),
  members('an ID token that is an object', 'malformed_token_response', { id_token: {} }),
  members('an access token with a line break', 'malformed_token_response', { access_token: 'a\r\nX: y' }),
  members('an ID token of 20 000 characters', 'malformed_token_response', { id_token: 'a'.repeat(20_000) }),
  { title: 'a list', reason: 'malformed_token_response', lies: { members: () => [] } },
  { title: 'null', reason: 'malformed_token_response', lies: { members: () => 'null' } },
  {
    title: 'repeated members',
    reason: 'malformed_token_response',
    lies: { members: (honest) => `{"id_token":"x",${JSON.stringify(honest).slice(1)}` },
  },
  { title: 'broken JSON', reason: 'malformed_token_response', lies: { members: () => '{"id_token":' } },
  {
    title: 'deep JSON',
    reason: 'malformed_token_response',
    lies: { members: () => `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}` },
  },
  {
    title: 'HTML as its type',
    reason: 'malformed_token_response',
    lies: {
      token: (response, honest) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(honest));
      },
    },
  },
  {
    title: 'no type',
    reason: 'malformed_token_response',
    lies: { token: (response, honest) => void response.writeHead(200).end(JSON.stringify(honest)) },
  },
  {
    title: 'an endless redirect',
    reason: 'token_endpoint_failed',
    status: 503,
    lies: { token: raw(307, { location: '/token' }) },
  },
  { title: 'status 500', reason: 'token_endpoint_failed', status: 503, lies: { token: raw(500, {}, 'oops') } },
  {
    title: 'an error that is markup',
    reason: 'client_refused',
    lies: {
      token: raw(
        400,
        { 'content-type': 'application/json' },
        '{"error":"<script>","error_description":"<img src=x onerror=alert(1)>"}',
      ),
    },
  },
  {
    title: 'a body of 10 MB',
    reason: 'token_endpoint_failed',
    status: 503,
    lies: { token: raw(200, { 'content-type': 'application/json' }, Buffer.alloc(10_000_000, 0x20)) },
  },
  {
    title: 'a body of 10 MB without a length',
    reason: 'token_endpoint_failed',
    status: 503,
    lies: {
      token: (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.on('error', () => undefined);
        for (let index = 0; index < 160; index += 1) response.write(Buffer.alloc(65_536, 0x20));
        response.end();
      },
    },
  },
  {
    title: 'a head of 100 kB',
    reason: 'token_endpoint_failed',
    status: 503,
    lies: { token: raw(200, { 'content-type': 'application/json', 'x-long': 'a'.repeat(100_000) }) },
  },
  {
    title: 'no answer',
    reason: 'token_endpoint_failed',
    status: 503,
    limits: shortLimits,
    lies: { token: () => undefined },
  },
  {
    title: 'an answer that comes octet by octet',
    reason: 'token_endpoint_failed',
    status: 503,
    limits: shortLimits,
    lies: {
      token: (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 5);
        response.on('close', () => clearInterval(drip));
      },
    },
  },
  {
    title: 'an answer that never ends',
    reason: 'token_endpoint_failed',
    status: 503,
    limits: shortLimits,
    lies: { token: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{') },
  },
  {
    title: 'a closed connection',
    reason: 'token_endpoint_failed',
    status: 503,
    lies: { token: (response) => void response.socket?.destroy() },
  },
  {
    title: 'a compressed body',
    reason: 'token_endpoint_failed',
    status: 503,
    lies: { token: raw(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'x') },
  },
  {
    title: 'octets that are not UTF-8',
    reason: 'token_endpoint_failed',
    status: 503,
    lies: { token: raw(200, { 'content-type': 'application/json' }, Buffer.from([0x7b, 0xff, 0x7d])) },
  },
];

/** The callback. */
const callbackCases: readonly Case[] = [
  {
    title: 'an unknown code',
    reason: 'code_refused',
    callback: ({ state = '' }) => ({ state, code: 'stolen' }),
  },
  {
    title: 'the code of another sign-on',
    reason: 'code_refused',
    callback: ({ state = '' }, provider) => {
      const other = new URL(
        `${provider.issuer}/authorize?redirect_uri=https%3A%2F%2Fportal.example.com%2Foidc%2Fcallback%2Fcorp&nonce=x&code_challenge=y`,
      );
      return { state, code: provider.authorize(other.href).code };
    },
  },
  {
    title: 'the code of another client',
    reason: 'code_refused',
    callback: ({ state = '' }, provider) => ({
      state,
      code: provider.authorize(`${provider.issuer}/authorize`, 'evil').code,
    }),
  },
  {
    title: 'an unknown state',
    reason: 'unknown_request',
    callback: ({ code = '' }) => ({ state: 'A'.repeat(43), code }),
  },
  { title: 'a short state', reason: 'unknown_request', callback: ({ code = '' }) => ({ state: 'x', code }) },
  { title: 'no state', reason: 'malformed_callback', status: 400, callback: ({ code = '' }) => ({ code }) },
  { title: 'no code', reason: 'malformed_callback', status: 400, callback: ({ state = '' }) => ({ state }) },
  {
    title: 'two codes',
    reason: 'malformed_callback',
    status: 400,
    callback: ({ state = '', code = '' }) => `state=${state}&code=${code}&code=other`,
  },
  {
    title: 'a code and an error',
    reason: 'malformed_callback',
    status: 400,
    callback: (honest) => ({ ...honest, error: 'access_denied' }),
  },
  {
    title: 'an access token',
    reason: 'malformed_callback',
    status: 400,
    callback: (honest) => ({ ...honest, access_token: 'x' }),
  },
  {
    title: 'the issuer of another provider',
    reason: 'wrong_iss',
    callback: (honest) => ({ ...honest, iss: 'https://evil.example' }),
  },
  { title: 'an empty issuer', reason: 'wrong_iss', callback: (honest) => ({ ...honest, iss: '' }) },
  { title: 'no issuer where one is required', reason: 'missing_iss', login: { 'require-iss': true } },
  {
    title: 'an error with a description that is markup',
    reason: 'provider_error',
    callback: ({ state = '' }) => ({
      state,
      error: 'access_denied',
      error_description: '<script>alert(1)</script>',
      error_uri: 'javascript:alert(1)',
    }),
  },
  {
    title: 'an error code that is markup',
    reason: 'provider_error',
    callback: ({ state = '' }) => ({ state, error: '"><script>alert(1)</script>\r\nSet-Cookie: a=b' }),
  },
];

/** Userinfo that the agent needs, because the ID token has no groups. */
const userinfo = (title: string, answer: NonNullable<Lies['userinfo']>): Case => ({
  title: `userinfo that is ${title}`,
  reason: 'userinfo_failed',
  status: 503,
  login: { 'claim-mapping': { groups: 'X-Groups' } },
  lies: { userinfo: answer },
});

/** The user, and what the configuration demands. */
const userCases: readonly Case[] = [
  {
    ...tampered('no authentication time', 'authentication_not_fresh', { auth_time: undefined }),
    login: { 'max-age-secs': 60 },
  },
  {
    ...tampered('an old authentication', 'authentication_not_fresh', { auth_time: 1_700_000_000 }),
    login: { 'max-age-secs': 60 },
  },
  {
    ...tampered('a weaker authentication', 'wrong_authentication_context', { acr: '0' }),
    login: { 'acr-values': ['urn:mfa'] },
  },
  {
    ...tampered('an address that is not verified', 'email_not_verified', { email_verified: false }),
    login: { 'user-id-claim': 'email' },
  },
  {
    ...tampered('"true" as verification', 'email_not_verified', { email_verified: 'true' }),
    login: { 'allowed-domains': ['example.com'] },
  },
  {
    ...tampered('an address of another domain', 'domain_not_allowed', { email: 'ann@example.com.evil.org' }),
    login: { 'allowed-domains': ['example.com'] },
  },
  {
    ...tampered('an address with two at signs', 'domain_not_allowed', { email: 'ann@example.com@evil.org' }),
    login: { 'allowed-domains': ['example.com'] },
  },
  { ...tampered('a user id that is a list', 'unusable_user_id', { oid: ['a'] }), login: { 'user-id-claim': 'oid' } },
  {
    title: 'userinfo about another user',
    reason: 'wrong_userinfo_subject',
    login: { 'claim-mapping': { groups: 'X-Groups' } },
    before: (provider) => {
      provider.userinfo = { sub: 'admin', groups: ['admins'] };
    },
  },
  {
    title: 'userinfo that verifies the address of the ID token',
    reason: 'email_not_verified',
    login: { 'user-id-claim': 'email' },
    before: (provider) => {
      provider.user = { sub: 'ann', email: 'boss@example.com' };
      provider.userinfo = { email: 'ann@example.com', email_verified: true };
    },
  },
  {
    title: 'an ID token that verifies the address of userinfo',
    reason: 'email_not_verified',
    login: { 'user-id-claim': 'email' },
    before: (provider) => {
      provider.user = { sub: 'ann', email_verified: true };
      provider.userinfo = { email: 'boss@example.com', email_verified: false };
    },
  },
  {
    title: 'userinfo with status 500',
    reason: 'userinfo_failed',
    status: 503,
    login: { 'claim-mapping': { groups: 'X-Groups' } },
    lies: { userinfo: (response) => void response.writeHead(500).end() },
  },
  {
    title: 'userinfo that is a signed token',
    reason: 'userinfo_failed',
    status: 503,
    login: { 'claim-mapping': { groups: 'X-Groups' } },
    lies: { userinfo: (response) => void response.writeHead(200, { 'content-type': 'application/jwt' }).end('a.b.c') },
  },
  userinfo('HTML', (response, claims) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify({ ...claims, groups: ['admins'] }));
  }),
  userinfo('a redirect', (response) => void response.writeHead(302, { location: '/userinfo' }).end()),
  userinfo('10 MB', (response) => {
    response.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.alloc(10_000_000, 0x20));
  }),
  userinfo('repeated members', (response, claims) => {
    const body = `{"groups":["admins"],"groups":[],${JSON.stringify(claims).slice(1)}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }),
];

const cases = [...claimCases, ...tokenCases, ...endpointCases, ...callbackCases, ...userCases];

const expectNoSession = async (browser: OidcBrowser): Promise<void> => {
  expect(browser.cookies.has(sessionCookie)).toBe(false);
  expect((await browser.get('/orders')).status).toBe(302);
};

describe('a provider that lies', () => {
  it('lies in more than sixty ways', () => {
    expect(cases.length).toBeGreaterThan(60);
    expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
  });

  for (const { title, reason, status = 403, lies = {}, before, callback, login = {}, limits } of cases) {
    it(`opens no session with ${title}`, async ({ cleanUp }) => {
      const { provider, newBrowser, logger } = await oidcPlace(
        cleanUp,
        login,
        {},
        limits === undefined ? {} : { limits },
      );
      const browser = newBrowser();
      const honest = provider.authorize(await browser.begin());
      provider.lies = lies;
      before?.(provider);
      const told = callback?.({ ...honest }, provider) ?? { ...honest };
      logger.lines.length = 0;
      const query = typeof told === 'string' ? told : new URLSearchParams(told).toString();
      const reply = await browser.get(`/oidc/callback/corp?${query}`);
      expect(reply.status).toBe(status);
      expect(reply.body ?? '').not.toContain('<script');
      expect(reply.body ?? '').not.toContain(reason);
      const lines = logger.lines.filter(({ fields }) => fields['reason'] === reason);
      expect(lines).toHaveLength(1);
      expect(logger.lines.filter(({ message }) => /^sign-on (?:refused|could not)/.test(message))).toEqual(lines);
      const logged = JSON.stringify(logger.lines);
      expect(logged).not.toContain(honest.code);
      expect(logged).not.toContain(provider.clientSecret);
      expect(logged).not.toContain('<script');
      await expectNoSession(browser);
      // The user can start again.
      provider.lies = {};
      provider.kid = 'k1';
      provider.user = {
        sub: 'ann',
        email: 'ann@example.com',
        email_verified: true,
        oid: '1',
        acr: 'urn:mfa',
        groups: [],
      };
      if (login['require-iss'] === true || title.includes('swapped') || limits !== undefined) return;
      expect((await browser.callback(provider.authorize(await browser.begin('/again')))).location).toBe('/again');
    });
  }
});

describe('a code of an earlier sign-on', () => {
  it('opens no second session', async ({ cleanUp }) => {
    const { provider, newBrowser, logger } = await oidcPlace(cleanUp);
    const first = newBrowser();
    const used = provider.authorize(await first.begin());
    expect((await first.callback(used)).status).toBe(302);
    first.cookies.delete(sessionCookie);
    for (const browser of [first, newBrowser()]) {
      const state = new URL(await browser.begin('/new')).searchParams.get('state') ?? '';
      expect((await browser.callback({ state, code: used.code })).status).toBe(403);
      await expectNoSession(browser);
    }
    expect(logger.lines.filter(({ fields }) => fields['reason'] === 'code_refused')).toHaveLength(2);
  });
});

describe('a sign-on between two browsers', () => {
  it('is refused in the browser that did not begin it', async ({ cleanUp }) => {
    const { provider, newBrowser, logger } = await oidcPlace(cleanUp);
    const attacker = newBrowser();
    const victim = newBrowser();
    const code = provider.authorize(await attacker.begin());
    expect((await victim.callback(code)).status).toBe(403);
    await victim.begin('/mine');
    expect((await victim.callback(code)).status).toBe(403);
    expect(logger.lines.filter(({ fields }) => fields['reason'] === 'other_browser')).toHaveLength(2);
    await expectNoSession(victim);
    expect((await attacker.callback(code)).status).toBe(302);
  });

  it('does not take the code of the other browser', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp);
    const attacker = newBrowser();
    const victim = newBrowser();
    const stolen = provider.authorize(await victim.begin()).code;
    const own = new URL(await attacker.begin()).searchParams.get('state') ?? '';
    // The code verifier of the attacker's browser does not fit the challenge of the victim's.
    expect((await attacker.callback({ state: own, code: stolen })).status).toBe(403);
    await expectNoSession(attacker);
  });
});

describe('two providers', () => {
  const two = (provider: LyingOidcProvider) => [
    loginConfig(provider, { name: 'corp' }),
    loginConfig(provider, { name: 'other', 'client-id': 'portal' }),
  ];

  it('are offered on a page, and each is begun by its name', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp, two);
    const browser = newBrowser();
    const chooser = await browser.get('/orders?x=1');
    expect(chooser.location).toBe('/oidc/login?return_to=%2Forders%3Fx%3D1');
    const page = await browser.get(chooser.location ?? '');
    expect(page.status).toBe(200);
    expect(page.body).toContain('provider=other');
    const begun = await browser.get('/oidc/login?provider=other&return_to=/orders');
    const code = provider.authorize(begun.location ?? '');
    expect((await browser.callback(code, '/oidc/callback/other')).location).toBe('/orders');
  });

  it('answer only at their own callback', async ({ cleanUp }) => {
    const { provider, newBrowser, logger } = await oidcPlace(cleanUp, two);
    const browser = newBrowser();
    const begun = await browser.get('/oidc/login?provider=other');
    const code = provider.authorize(begun.location ?? '');
    expect((await browser.callback(code, '/oidc/callback/corp')).status).toBe(403);
    expect(logger.lines.filter(({ fields }) => fields['reason'] === 'wrong_callback')).toHaveLength(1);
    expect(provider.requests).toHaveLength(0);
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  });

  it('share a callback only if each names itself', async ({ cleanUp }) => {
    const shared = (provider: LyingOidcProvider) =>
      two(provider).map((login) => ({ ...login, 'callback-path': '/cb', 'require-iss': true }));
    const { provider, newBrowser } = await oidcPlace(cleanUp, shared);
    const browser = newBrowser();
    const begun = await browser.get('/oidc/login?provider=other&return_to=/x');
    const code = provider.authorize(begun.location ?? '');
    expect((await browser.callback({ ...code, iss: provider.issuer }, '/cb')).location).toBe('/x');
    const again = await browser.get('/oidc/login?provider=corp');
    expect((await browser.callback(provider.authorize(again.location ?? ''), '/cb')).status).toBe(403);
  });

  it('that announce iss must send it', async ({ cleanUp }) => {
    const { provider, newBrowser, logger } = await oidcPlace(cleanUp, (made) => {
      made.lies = { discovery: { authorization_response_iss_parameter_supported: true } };
      return [loginConfig(made)];
    });
    const browser = newBrowser();
    const code = provider.authorize(await browser.begin());
    expect((await browser.callback(code)).status).toBe(403);
    expect(logger.lines.filter(({ fields }) => fields['reason'] === 'missing_iss')).toHaveLength(1);
    const next = provider.authorize(await browser.begin());
    expect((await browser.callback({ ...next, iss: provider.issuer })).status).toBe(302);
  });
});
