import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';
import type { Lies, LyingOidcProvider } from '../../../../../support/agent/lying-oidc-provider.js';
import { type OidcBrowser, oidcPlace, sessionCookie } from '../../../../../support/agent/oidc-agent.js';
import type { Reply } from '../../../../../support/agent/saml-agent.js';
import { requestEvent, upstreamHeaders } from '../../../../../support/agent/test-agent.js';
import { rsaPair } from '../../../../../support/agent/test-tokens.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';
import type { RecordingLogger } from '../../../../../support/shared/recording-logger.js';

/** A busy host needs more than the default. */
const patience = { timeout: 20_000 };

const forwarding: JsonObject = { 'forward-access-token': true };

/** What the upstream gets in a header; null: nothing. */
const received = ({ answer }: Reply, name: string, sent: readonly string[] = []): string | null => {
  const headers = upstreamHeaders(sent, answer);
  const values = headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
  expect(values.length).toBeLessThan(2);
  return values[0] ?? null;
};

/** A browser that has signed on, with a refresh token. */
const signedOn = async (
  cleanUp: CleanUp,
  login: JsonObject = {},
  before: (provider: LyingOidcProvider) => void = () => undefined,
  config: JsonObject = {},
) => {
  const place = await oidcPlace(cleanUp, login, config);
  const { provider, newBrowser, clock } = place;
  provider.givesRefreshTokens = true;
  before(provider);
  const browser = newBrowser();
  const completed = await browser.callback(provider.authorize(await browser.begin('/orders')));
  expect(completed.location).toBe('/orders');
  const pass = (ms: number) => clock.advance(ms);
  /** A request of a script: it is not redirected. */
  const fetched = (more: readonly string[] = []) => browser.get('/orders', ['x-requested-with', 'fetch', ...more]);
  return { ...place, browser, pass, fetched };
};

const raw =
  (status: number, headers: Record<string, string>, body: string | Buffer = ''): NonNullable<Lies['refresh']> =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

const json = { 'content-type': 'application/json' };

const members =
  (change: (honest: Record<string, unknown>) => unknown): NonNullable<Lies['refresh']> =>
  (response, honest) => {
    response.writeHead(200, json).end(JSON.stringify(change({ ...honest })));
  };

const claimed =
  (changes: Record<string, unknown>): ((provider: LyingOidcProvider) => NonNullable<Lies['refresh']>) =>
  (provider) =>
  (response, honest, claims) => {
    const idToken = provider.sign({ ...claims, ...changes });
    response.writeHead(200, json).end(JSON.stringify({ ...honest, id_token: idToken }));
  };

const stranger = rsaPair();

interface Case {
  readonly title: string;
  readonly reason: string;
  readonly lie: (provider: LyingOidcProvider) => NonNullable<Lies['refresh']>;
  readonly login?: JsonObject;
}

/** After these answers the session has ended. */
const endings: readonly Case[] = [
  { title: 'invalid_grant', reason: 'invalid_grant', lie: () => raw(400, json, '{"error":"invalid_grant"}') },
  { title: 'an ID token of another user', reason: 'other_subject', lie: claimed({ sub: 'admin' }) },
  {
    title: 'an address that is no longer verified',
    reason: 'user_refused',
    login: { 'allowed-domains': ['example.com'] },
    lie: claimed({ email_verified: false }),
  },
  {
    title: 'an address of another domain',
    reason: 'user_refused',
    login: { 'allowed-domains': ['example.com'] },
    lie: claimed({ email: 'ann@example.com.evil.org' }),
  },
  {
    title: 'another user id',
    reason: 'user_refused',
    login: { 'user-id-claim': 'email' },
    lie: claimed({ email: 'boss@example.com' }),
  },
];

/** After these answers there is no fresh token, and a refresh is tried again. */
const failures: readonly Case[] = [
  { title: 'status 500', reason: 'token_endpoint_failed', lie: () => raw(500, {}, 'oops') },
  {
    title: 'invalid_grant with status 500',
    reason: 'token_endpoint_failed',
    lie: () => raw(500, json, '{"error":"invalid_grant"}'),
  },
  {
    title: 'invalid_grant in HTML',
    reason: 'token_endpoint_failed',
    lie: () => raw(400, { 'content-type': 'text/html' }, '{"error":"invalid_grant"}'),
  },
  { title: 'a redirect', reason: 'token_endpoint_failed', lie: () => raw(307, { location: '/token' }) },
  { title: 'a refused client', reason: 'client_refused', lie: () => raw(401, json, '{"error":"invalid_client"}') },
  { title: 'no body', reason: 'malformed_token_response', lie: () => raw(200, json) },
  { title: 'a body of 10 MB', reason: 'token_endpoint_failed', lie: () => raw(200, json, Buffer.alloc(10_000_000)) },
  { title: 'a list', reason: 'malformed_token_response', lie: () => members((honest) => [honest]) },
  {
    title: 'no access token',
    reason: 'malformed_token_response',
    lie: () => members(({ access_token: _token, ...others }) => others),
  },
  {
    title: 'an access token with a line break',
    reason: 'malformed_token_response',
    lie: () => members((honest) => ({ ...honest, access_token: 'a\r\nX-User-Id: admin' })),
  },
  {
    title: 'an access token with spaces',
    reason: 'malformed_token_response',
    lie: () => members((honest) => ({ ...honest, access_token: 'a, Basic b' })),
  },
  {
    title: 'another token type',
    reason: 'malformed_token_response',
    lie: () => members((honest) => ({ ...honest, token_type: 'DPoP' })),
  },
  {
    title: 'a refresh token that is an object',
    reason: 'malformed_token_response',
    lie: () => members((honest) => ({ ...honest, refresh_token: {} })),
  },
  { title: 'an ID token for another client', reason: 'id_token_refused', lie: claimed({ aud: 'other' }) },
  { title: 'an ID token of another issuer', reason: 'id_token_refused', lie: claimed({ iss: 'https://evil.example' }) },
  { title: 'an ID token of the past', reason: 'id_token_refused', lie: claimed({ exp: 1_700_000_000 }) },
  { title: 'an ID token from before', reason: 'id_token_refused', lie: claimed({ iat: 1_700_000_000 }) },
  { title: 'another access token in at_hash', reason: 'id_token_refused', lie: claimed({ at_hash: 'x' }) },
  { title: 'another time of authentication', reason: 'id_token_refused', lie: claimed({ auth_time: 5 }) },
  {
    title: 'an ID token without a signature',
    reason: 'id_token_refused',
    lie: () => members((honest) => ({ ...honest, id_token: `${String(honest['id_token']).replace(/[^.]*$/, '')}` })),
  },
  {
    title: 'an ID token that a stranger has signed',
    reason: 'id_token_refused',
    lie: (provider) => (response, honest, claims) => {
      const idToken = provider.sign(claims, {}, stranger.privateKey, 'RS256');
      response.writeHead(200, json).end(JSON.stringify({ ...honest, id_token: idToken }));
    },
  },
];

const secretsOf = (provider: LyingOidcProvider): readonly string[] => [
  provider.clientSecret,
  ...provider.requests.flatMap(({ form }) =>
    [...form].filter(([name]) => /token|code/.test(name)).map(([, text]) => text),
  ),
  'access-',
];

/** The refreshes that have failed. */
const failed = ({ lines }: RecordingLogger): number =>
  lines.filter(({ message }) => message === 'the tokens of a session could not be refreshed').length;

const signsOnAnew = async (browser: OidcBrowser, provider: LyingOidcProvider): Promise<void> => {
  provider.lies = {};
  provider.user = { sub: 'ann', email: 'ann@example.com', email_verified: true };
  expect((await browser.callback(provider.authorize(await browser.begin('/again')))).location).toBe('/again');
  expect((await browser.get('/again')).status).toBe(200);
};

describe('a provider that lies at a refresh', () => {
  for (const { title, reason, lie, login = {} } of endings) {
    it(`ends the session with ${title}`, async ({ cleanUp }) => {
      const { provider, browser, pass, fetched, logger } = await signedOn(cleanUp, { ...forwarding, ...login });
      provider.lies = { refresh: lie(provider) };
      pass(300_000);
      expect((await fetched()).status).toBe(401);
      expect((await fetched()).status).toBe(401);
      expect(provider.refreshes).toBe(1);
      expect(logger.lines.filter(({ fields }) => fields['reason'] === reason)).toMatchObject([
        { message: 'the session ended at a refresh of its tokens', fields: { user: expect.any(String) } },
      ]);
      const logged = JSON.stringify(logger.lines);
      for (const secret of secretsOf(provider)) expect(logged).not.toContain(secret);
      await signsOnAnew(browser, provider);
    });
  }

  for (const { title, reason, lie } of failures) {
    it(`brings no token with ${title}`, async ({ cleanUp }) => {
      const { provider, pass, fetched, logger } = await signedOn(cleanUp, forwarding);
      provider.lies = { refresh: lie(provider) };
      provider.rotates = false;
      pass(300_000);
      const refused = await fetched(['authorization', 'Bearer of-the-client']);
      expect([refused.status, refused.body]).toEqual([503, expect.stringContaining('"code":"agent_undecided"')]);
      expect((await fetched()).status).toBe(503);
      expect(provider.refreshes).toBeGreaterThan(0);
      expect(logger.lines.filter(({ fields }) => fields['reason'] === reason)).toMatchObject([
        { level: 'warn', message: 'the tokens of a session could not be refreshed' },
      ]);
      const logged = JSON.stringify(logger.lines);
      for (const secret of secretsOf(provider)) expect(logged).not.toContain(secret);
      // The session has not ended: it goes on with the first good answer.
      provider.lies = {};
      pass(2_000);
      const passed = await fetched();
      expect([passed.status, received(passed, 'authorization')]).toEqual([200, 'Bearer access-of-refresh-1']);
    });
  }

  it('that does not answer costs a limited time, and no session', async ({ cleanUp }) => {
    const { provider, pass, fetched, logger } = await signedOn(cleanUp, forwarding);
    provider.lies = { refresh: () => undefined };
    pass(300_000);
    expect((await fetched()).status).toBe(503);
    await expect.poll(() => failed(logger), patience).toBe(1);
    provider.lies = {};
    pass(2_000);
    // The provider has spent the refresh token, so it refuses it now.
    expect((await fetched()).status).toBe(401);
  });

  it('does not shorten the grace of a login without forwarded tokens', async ({ cleanUp }) => {
    const { provider, pass, fetched, logger } = await signedOn(cleanUp, { 'refresh-grace-secs': 60 });
    provider.lies = { refresh: raw(500, {}, 'oops') };
    provider.rotates = false;
    pass(300_000);
    expect((await fetched()).status).toBe(200);
    await expect.poll(() => failed(logger), patience).toBe(1);
    pass(59_000);
    expect((await fetched()).status).toBe(200);
    await expect.poll(() => failed(logger), patience).toBe(2);
    pass(31_000);
    expect((await fetched()).status).toBe(503);
    provider.lies = {};
    pass(31_000);
    expect((await fetched()).status).toBe(200);
  });
});

describe('the tokens of a session', () => {
  it('reach upstreams as Authorization, whatever the client sends there', async ({ cleanUp }) => {
    const sent = ['authorization', 'Bearer of-the-client'];
    for (const all of [false, true]) {
      const { fetched } = await signedOn(cleanUp, forwarding, undefined, { 'forward-credentials': all });
      expect(received(await fetched(sent), 'authorization', sent)).toBe('Bearer access-code-1');
      expect(received(await fetched(), 'authorization')).toBe('Bearer access-code-1');
    }
  });

  it('stay with the agent without forward-access-token', async ({ cleanUp }) => {
    const { fetched, pass, provider } = await signedOn(cleanUp);
    expect(received(await fetched(), 'authorization')).toBeNull();
    pass(280_000);
    expect(received(await fetched(), 'authorization')).toBeNull();
    await expect.poll(() => provider.refreshes, patience).toBe(1);
  });

  it('are never replaced by a text of a client without a session of that login', async ({ cleanUp }) => {
    const config = { 'forward-credentials': true, 'api-key-header': 'X-Key', 'api-keys': ['key-1:tool'] };
    const sent = ['x-key', 'key-1', 'authorization', 'Custom of-the-client'];
    for (const login of [{}, forwarding]) {
      const { agent } = await oidcPlace(cleanUp, login, config);
      const answer = await agent.decide(requestEvent(sent), Symbol('connection'));
      const reply = { answer } as Reply;
      expect(answer.decision.kind).toBe('allow');
      expect(received(reply, 'authorization', sent)).toBe(login === forwarding ? null : 'Custom of-the-client');
    }
  });

  it('are never replaced by a token of a client that fail-open lets pass', async ({ cleanUp }) => {
    const config = { 'forward-credentials': true, 'fail-open': true, 'basic-auth-users': ['tool:the-password'] };
    const place = { 'protected-paths': '/app' };
    const basic = `Basic ${Buffer.from('tool:the-password').toString('base64')}`;
    for (const [login, forged] of [
      [place, 'Bearer of-the-client'],
      [{ ...place, ...forwarding }, null],
    ] as const) {
      const { agent } = await oidcPlace(cleanUp, login, config);
      const ask = async (authorization: string) => {
        const sent = ['authorization', authorization];
        const answer = await agent.decide(requestEvent(sent), Symbol('connection'));
        expect(answer.decision.kind).toBe('allow');
        return received({ answer } as Reply, 'authorization', sent);
      };
      expect(await ask('Bearer of-the-client')).toBe(forged);
      // It authenticates the request, so it is forwarded as configured.
      expect(await ask(basic)).toBe(basic);
    }
  });

  it('are refreshed before the end, and rotated', async ({ cleanUp }) => {
    const { fetched, pass, provider } = await signedOn(cleanUp, forwarding);
    for (let round = 1; round <= 3; round += 1) {
      pass(271_000);
      const former = await fetched();
      expect(former.status).toBe(200);
      await expect
        .poll(async () => received(await fetched(), 'authorization'))
        .toBe(`Bearer access-of-refresh-${round + 1}`);
      expect(provider.refreshes).toBe(round);
    }
    const sent = provider.requests.slice(1).map(({ form }) => form.get('refresh_token'));
    expect(sent).toEqual(['refresh-1', 'refresh-2', 'refresh-3']);
  });

  it('keep their refresh token if the provider sends no other', async ({ cleanUp }) => {
    const { fetched, pass, provider } = await signedOn(cleanUp, forwarding, (own) => {
      own.rotates = false;
    });
    for (let round = 1; round <= 2; round += 1) {
      pass(300_000);
      expect((await fetched()).status).toBe(200);
      expect(provider.requests.at(-1)?.form.get('refresh_token')).toBe('refresh-1');
    }
    expect(provider.refreshes).toBe(2);
  });

  it('bring new claims, and none without an ID token', async ({ cleanUp }) => {
    const login = { ...forwarding, 'claim-mapping': { groups: 'X-Groups' } };
    const { fetched, pass, provider } = await signedOn(cleanUp, login, (own) => {
      own.user = { ...own.user, groups: ['staff'] };
    });
    expect(received(await fetched(), 'x-groups')).toBe('staff');
    provider.user = { ...provider.user, groups: ['admins'] };
    pass(300_000);
    expect(received(await fetched(), 'x-groups')).toBe('admins');
    provider.lies = { refresh: members(({ id_token: _token, ...others }) => others) };
    provider.user = { ...provider.user, groups: ['other'] };
    pass(300_000);
    expect(received(await fetched(), 'x-groups')).toBe('admins');
  });

  it('keep a rotated refresh token although userinfo fails afterwards', async ({ cleanUp }) => {
    const login = { ...forwarding, 'claim-mapping': { groups: 'X-Groups' } };
    const { fetched, pass, provider } = await signedOn(cleanUp, login, (own) => {
      own.userinfo = { groups: ['staff'] };
    });
    provider.lies = { userinfo: (response) => void response.writeHead(500).end() };
    pass(300_000);
    expect((await fetched()).status).toBe(503);
    provider.lies = {};
    pass(2_000);
    expect((await fetched()).status).toBe(200);
    expect(provider.requests.at(-1)?.form.get('refresh_token')).toBe('refresh-2');
  });

  it('without a refresh token end with a new sign-on, if they are forwarded', async ({ cleanUp }) => {
    const none = (own: LyingOidcProvider) => {
      own.givesRefreshTokens = false;
    };
    const { browser, fetched, pass, provider, logger } = await signedOn(cleanUp, forwarding, none);
    const given = await signedOn(cleanUp, forwarding);
    const refreshes = ({ lines }: RecordingLogger) =>
      lines.filter(({ message }) => message === 'sign-on completed').map(({ fields }) => fields['refreshes']);
    expect([refreshes(logger), refreshes(given.logger)]).toEqual([[false], [true]]);
    pass(299_999);
    expect(received(await fetched(), 'authorization')).toBe('Bearer access-code-1');
    pass(1);
    expect((await fetched()).status).toBe(401);
    const before = browser.cookies.get(sessionCookie);
    await signsOnAnew(browser, provider);
    expect(browser.cookies.get(sessionCookie)).not.toBe(before);
    const kept = await signedOn(cleanUp, {}, none);
    kept.pass(3_600_000);
    expect((await kept.fetched()).status).toBe(200);
  });

  it('of unknown life last as long as the session', async ({ cleanUp }) => {
    const { fetched, pass, provider } = await signedOn(cleanUp, forwarding, (own) => {
      own.accessSecs = undefined;
    });
    pass(7 * 3_600_000);
    expect(received(await fetched(), 'authorization')).toBe('Bearer access-code-1');
    expect(provider.refreshes).toBe(0);
  });

  it('that cannot be sent in a header open no session', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp, forwarding);
    provider.lies = { members: (honest) => ({ ...honest, access_token: 'a b' }) };
    const browser = newBrowser();
    expect((await browser.callback(provider.authorize(await browser.begin()))).status).toBe(403);
    expect(browser.cookies.has(sessionCookie)).toBe(false);
  });
});
