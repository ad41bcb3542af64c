import { describe, expect } from 'vitest';
import { requestPath } from '../../../../../../src/domain/http/path-normalisation.js';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';
import type { Changes, LyingOidcProvider } from '../../../../../support/agent/lying-oidc-provider.js';
import {
  loginConfig,
  type OidcBrowser,
  oidcPlace,
  portal,
  sessionCookie,
} from '../../../../../support/agent/oidc-agent.js';
import type { Reply } from '../../../../../support/agent/saml-agent.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';

const sessionsWith = (require: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  sessions: { store: 'memory', require: [...require], ...more },
});

const admin: JsonObject = { name: '/admin', provider: 'corp', 'acr-values': ['urn:mfa'], 'max-age-secs': 300 };

/** The place, with a provider that states `user` of everyone who signs on. */
const placeOf = async (cleanUp: CleanUp, require: readonly JsonObject[] = [admin], login: JsonObject = {}) => {
  const place = await oidcPlace(cleanUp, login, sessionsWith(require));
  const states = (claims: Changes) => {
    place.provider.user = { sub: 'ann', ...claims };
  };
  states({ acr: 'urn:pwd' });
  return { ...place, states };
};

type Place = Awaited<ReturnType<typeof placeOf>>;

const queryOf = (location: string | null): URLSearchParams => new URL(location ?? 'missing:').searchParams;

const codeOf = ({ body, status }: Reply): string =>
  body === null ? String(status) : `${status} ${(JSON.parse(body) as { code?: string }).code}`;

/** Answers an authorization request at the callback. */
const answered = (browser: OidcBrowser, provider: LyingOidcProvider, location: string | null, name = 'corp') =>
  browser.callback({ ...provider.authorize(location ?? '') }, `/oidc/callback/${name}`);

/** A browser with a session that has no more than a password. */
const signedOn = async (place: Place, page = '/'): Promise<OidcBrowser> => {
  const browser = place.newBrowser();
  const completed = await answered(browser, place.provider, await browser.begin(page));
  expect([completed.status, completed.location]).toEqual([302, page]);
  return browser;
};

describe('a page that requires a stronger sign-on', () => {
  it('begins one for a navigation, with what it requires, and keeps the deep link', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp);
    const browser = await signedOn(place);
    expect((await browser.get('/orders')).status).toBe(200);
    const weak = browser.cookies.get(sessionCookie);
    const deep = '/admin/users?page=2&q=a%2Fb';
    const asked = await browser.get(deep);
    expect(asked.status).toBe(302);
    const query = queryOf(asked.location);
    expect([query.get('acr_values'), query.get('max_age'), query.get('prompt')]).toEqual(['urn:mfa', '300', null]);
    place.states({ acr: 'urn:mfa' });
    const completed = await answered(browser, place.provider, asked.location);
    expect([completed.status, completed.location]).toEqual([302, deep]);
    expect((await browser.get(deep)).status).toBe(200);
    expect((await browser.get('/orders')).status).toBe(200);
    // The session was replaced, not upgraded.
    const strong = browser.cookies.get(sessionCookie);
    expect(strong).not.toBe(weak);
    browser.cookies.set(sessionCookie, weak ?? '');
    expect((await browser.get('/orders')).status).toBe(302);
    expect(
      place.logger.lines.filter(({ message }) => message === 'the request starts a sign-on that its path requires'),
    ).toHaveLength(1);
  });

  it('asks at the first sign-on already', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp);
    const browser = place.newBrowser();
    const query = queryOf(await browser.begin('/admin'));
    expect([query.get('acr_values'), query.get('max_age')]).toEqual(['urn:mfa', '300']);
    expect(queryOf(await place.newBrowser().begin('/orders')).get('acr_values')).toBeNull();
  });

  it('asks for the stricter of its own requirement and that of the login', async ({ cleanUp }) => {
    const login = { 'acr-values': ['urn:pwd', 'urn:mfa', 'urn:key'], 'max-age-secs': 60 };
    const require = [{ name: '/admin', 'acr-values': ['urn:key', 'urn:mfa', 'urn:other'], 'max-age-secs': 300 }];
    const place = await placeOf(cleanUp, require, login);
    const query = queryOf(await place.newBrowser().begin('/admin'));
    expect([query.get('acr_values'), query.get('max_age')]).toEqual(['urn:key urn:mfa', '60']);
    const browser = await signedOn(place);
    place.states({ acr: 'urn:other' });
    expect(codeOf(await answered(browser, place.provider, (await browser.get('/admin')).location))).toBe(
      '403 step_up_failed',
    );
  });

  it('asks again once the authentication is too old, and not before', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp);
    place.states({ acr: 'urn:mfa' });
    const browser = await signedOn(place, '/admin');
    place.clock.advance(330_000);
    expect((await browser.get('/admin')).status).toBe(200);
    place.clock.advance(1_000);
    expect((await browser.get('/admin')).status).toBe(302);
    expect((await browser.get('/orders')).status).toBe(200);
  });

  it.for([
    ['a changing request', '/admin', [], 'POST'],
    ['a script', '/admin/x', ['accept', 'application/json'], 'GET'],
    ['a fetch', '/admin', ['sec-fetch-mode', 'cors'], 'GET'],
    [
      'a WebSocket handshake',
      '/admin',
      ['upgrade', 'websocket', 'sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
      'GET',
    ],
  ] as const)(
    'answers %s with 401 and what it requires (RFC 9470)',
    async ([, uri = '', headers = [], method = 'GET'], { cleanUp }) => {
      const place = await placeOf(cleanUp);
      const browser = await signedOn(place);
      const sent = headers[0] === 'accept' ? headers : ['accept', '*/*', ...headers];
      const reply = await browser.browser.get(uri, ['host', portal, ...sent], method);
      expect(codeOf(reply)).toBe('401 insufficient_user_authentication');
      const { decision } = reply.answer;
      const fields = decision.kind === 'block' ? decision.headers : [];
      expect(fields[fields.indexOf('WWW-Authenticate') + 1]).toBe(
        'Bearer realm="gateway", error="insufficient_user_authentication", ' +
          'error_description="A stronger or more recent sign-on is required", acr_values="urn:mfa", max_age="300"',
      );
      expect(reply.answer.audit).toMatchObject({
        reasonCodes: ['insufficient_user_authentication'],
        custom: { event: 'authentication', outcome: 'failed', auth_method: 'oidc', subject: 'ann' },
      });
    },
  );

  it.for([
    '/ADMIN',
    '/%61dmin/x',
    '/%41DMIN',
    '//admin',
    '/./admin',
    '/x/%2e%2E/admin',
    '/admin;x=1/y',
    '/admin%3bx/y',
    '/admin%2Fx',
    '/x%5C..%5Cadmin',
    '/x/..;/admin',
  ])('is not reached by the spelling %s', async (uri, { cleanUp }) => {
    const place = await placeOf(cleanUp);
    const browser = await signedOn(place);
    expect((await browser.get('/x')).status).toBe(200);
    // No sign-on returns to a path without a normal form.
    const isNormal = requestPath(uri) !== null;
    expect((await browser.get(uri)).status).toBe(isNormal ? 302 : 403);
    expect((await browser.get(uri, [], 'POST')).status).toBe(401);
  });

  it('needs no session for a request with another credential', async ({ cleanUp }) => {
    const place = await oidcPlace(cleanUp, {}, { ...sessionsWith([admin]), 'api-keys': ['k-1234567890:robot'] });
    place.provider.user = { sub: 'ann', acr: 'urn:pwd' };
    const robot = place.newBrowser();
    expect((await robot.get('/admin', ['x-api-key', 'k-1234567890'])).status).toBe(200);
    // The key decides, too, if the session beside it does not suffice.
    const browser = place.newBrowser();
    await answered(browser, place.provider, await browser.begin('/'));
    const reply = await browser.get('/admin', ['x-api-key', 'k-1234567890']);
    expect(reply.answer.requestHeaders).toContainEqual({ kind: 'set', name: 'X-User-Id', value: 'robot' });
    const wrong = await browser.get('/admin', ['x-api-key', 'wrong']);
    expect(codeOf(wrong)).toBe('401 insufficient_user_authentication');
  });

  it('is never opened by fail-open', async ({ cleanUp }) => {
    const place = await oidcPlace(
      cleanUp,
      { 'protected-paths': ['/admin'] },
      { ...sessionsWith([admin]), 'fail-open': true },
    );
    place.provider.user = { sub: 'ann', acr: 'urn:pwd' };
    const browser = place.newBrowser();
    await answered(browser, place.provider, (await browser.get('/oidc/login?return_to=/')).location);
    expect((await browser.get('/x')).status).toBe(200);
    // This spelling is no protected path, but a requirement holds for it.
    for (const uri of ['/admin', '/ADMIN']) expect((await browser.get(uri, [], 'POST')).status).toBe(401);
  });
});

describe('an answer that does not bring what the page requires', () => {
  it.for<[string, Changes]>([
    ['another context', { acr: 'urn:pwd' }],
    ['no context', {}],
    ['a list of contexts', { acr: ['urn:mfa'] }],
    ['an old authentication', { acr: 'urn:mfa', auth_time: 1_799_999_000 }],
    ['no time of the authentication', { acr: 'urn:mfa', auth_time: undefined }],
    ['a future time of the authentication', { acr: 'urn:mfa', auth_time: 1_800_000_031 }],
    ['a time that is text', { acr: 'urn:mfa', auth_time: '1800000000' }],
  ])('with %s gets 403 after exactly one round, and leaves the session as it is', async ([, claims], { cleanUp }) => {
    const place = await placeOf(cleanUp);
    const browser = await signedOn(place);
    const before = browser.cookies.get(sessionCookie);
    place.states(claims);
    const asked = await browser.get('/admin');
    expect(asked.status).toBe(302);
    const refused = await answered(browser, place.provider, asked.location);
    expect(codeOf(refused)).toBe('403 step_up_failed');
    expect(refused.location).toBeNull();
    expect(browser.cookies.get(sessionCookie)).toBe(before);
    expect([...browser.cookies.keys()]).toEqual([sessionCookie]);
    expect((await browser.get('/orders')).status).toBe(200);
    expect(place.logger.lines.filter(({ message }) => message === 'sign-on refused')).toHaveLength(1);
    // Only the user begins again.
    expect((await browser.get('/admin')).status).toBe(302);
  });

  it('opens no session for a browser without one', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp);
    const browser = place.newBrowser();
    const refused = await answered(browser, place.provider, await browser.begin('/admin'));
    expect(codeOf(refused)).toBe('403 step_up_failed');
    expect(browser.cookies.size).toBe(0);
  });

  it('cannot take the missing claims from the userinfo endpoint', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp, [{ name: '/admin', 'acr-values': ['urn:mfa'] }], {
      'claim-mapping': { department: 'X-Department' },
    });
    place.states({});
    place.provider.userinfo = { department: 'ops', acr: 'urn:mfa', auth_time: 1_800_000_000 };
    const browser = await signedOn(place);
    const { requestHeaders } = (await browser.get('/orders')).answer;
    expect(requestHeaders).toContainEqual({ kind: 'set', name: 'X-Department', value: 'ops' });
    const asked = await browser.get('/admin');
    expect(asked.status).toBe(302);
    expect(codeOf(await answered(browser, place.provider, asked.location))).toBe('403 step_up_failed');
  });

  it('may be an error of the provider that says so', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp);
    const browser = await signedOn(place);
    const state = (location: string | null) => queryOf(location).get('state') ?? '';
    const unmet = { state: state((await browser.get('/admin')).location), error: 'unmet_authentication_requirements' };
    expect(codeOf(await browser.callback(unmet))).toBe('403 step_up_failed');
    const denied = { state: state((await browser.get('/admin')).location), error: 'access_denied' };
    expect(codeOf(await browser.callback(denied))).toBe('403 sign_on_refused');
  });

  it('has no other text for a page without a requirement', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp, [admin], { 'acr-values': ['urn:pwd', 'urn:mfa'] });
    place.states({ acr: 'urn:none' });
    const browser = place.newBrowser();
    expect(codeOf(await answered(browser, place.provider, await browser.begin('/orders')))).toBe('403 sign_on_refused');
  });

  it('ends every one of several rounds that tabs have begun', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp);
    const browser = await signedOn(place);
    const tabs = [await browser.get('/admin/a'), await browser.get('/admin/b'), await browser.get('/admin/c')];
    for (const { location } of tabs) {
      expect(codeOf(await answered(browser, place.provider, location))).toBe('403 step_up_failed');
    }
    // One tab with another account suffices for all.
    const asked = [await browser.get('/admin/a'), await browser.get('/admin/b')];
    place.states({ acr: 'urn:mfa' });
    expect((await answered(browser, place.provider, asked[0]?.location ?? null)).location).toBe('/admin/a');
    expect((await browser.get('/admin/b')).status).toBe(200);
    expect((await answered(browser, place.provider, asked[1]?.location ?? null)).location).toBe('/admin/b');
    expect((await browser.get('/admin/b')).status).toBe(200);
  });
});

describe('a session that no longer meets what its page requires, right after the sign-on', () => {
  it('gets 403 in place of another round, and may sign on again later', async ({ cleanUp }) => {
    const place = await placeOf(cleanUp, [{ name: '/admin', 'max-age-secs': 1 }], { 'clock-skew-secs': 0 });
    const browser = await signedOn(place, '/admin?x=1');
    place.clock.advance(2_000);
    const refused = await browser.get('/admin?x=1');
    expect(codeOf(refused)).toBe('403 step_up_failed');
    // Another page has not had its round.
    expect((await browser.get('/admin/other')).status).toBe(302);
    place.clock.advance(28_000);
    expect((await browser.get('/admin?x=1')).status).toBe(302);
  });

  it('gets it too where another agent of the same sessions asks for less', async ({ cleanUp, folder }) => {
    const sessions = (require: readonly JsonObject[]) =>
      sessionsWith(require, {
        store: 'sqlite',
        path: folder.file('s.db'),
        'cookie-domain': 'example.com',
        'cookie-name': '__Secure-s',
      });
    const lax = await oidcPlace(cleanUp, {}, sessions([]));
    lax.provider.user = { sub: 'ann', acr: 'urn:pwd' };
    const strict = await oidcPlace(
      cleanUp,
      () => [loginConfig(lax.provider)],
      sessions([{ name: '/admin', 'acr-values': ['urn:mfa'] }]),
    );
    const here = strict.newBrowser('shop.example.com');
    const there = lax.newBrowser();
    const cross = (from: OidcBrowser, to: OidcBrowser) => {
      const session = from.cookies.get('__Secure-s');
      if (session !== undefined) to.cookies.set('__Secure-s', session);
    };
    const asked = await here.get('/admin/x?y=1');
    expect(asked.location).toBe(
      'https://portal.example.com/oidc/login?provider=corp&return_to=https%3A%2F%2Fshop.example.com%2Fadmin%2Fx%3Fy%3D1',
    );
    const begun = await there.get((asked.location ?? '').replace('https://portal.example.com', ''));
    const completed = await answered(there, lax.provider, begun.location);
    expect(completed.location).toBe('https://shop.example.com/admin/x?y=1');
    cross(there, here);
    expect(codeOf(await here.get('/admin/x?y=1'))).toBe('403 step_up_failed');
  });
});

describe('several ways to sign on', () => {
  const twoLogins = (provider: LyingOidcProvider) => [
    loginConfig(provider),
    loginConfig(provider, { name: 'partner', 'require-iss': false }),
  ];

  it('lead straight to the provider that the page names, and no session of another one suffices', async ({
    cleanUp,
  }) => {
    const place = await oidcPlace(cleanUp, twoLogins, sessionsWith([{ name: '/admin', provider: 'partner' }]));
    const browser = place.newBrowser();
    const first = await browser.get('/oidc/login?provider=corp&return_to=/');
    expect((await answered(browser, place.provider, first.location)).status).toBe(302);
    expect((await browser.get('/orders')).status).toBe(200);
    const asked = await browser.get('/admin');
    expect(queryOf(asked.location).get('redirect_uri')).toBe('https://portal.example.com/oidc/callback/partner');
    const completed = await answered(browser, place.provider, asked.location, 'partner');
    expect([completed.status, completed.location]).toEqual([302, '/admin']);
    expect((await browser.get('/admin')).status).toBe(200);
  });

  it('cannot be confused by a link that names the other provider', async ({ cleanUp }) => {
    const place = await oidcPlace(cleanUp, twoLogins, sessionsWith([{ name: '/admin', provider: 'partner' }]));
    const reply = await place.newBrowser().get('/oidc/login?provider=corp&return_to=/admin');
    expect(queryOf(reply.location).get('redirect_uri')).toBe('https://portal.example.com/oidc/callback/partner');
  });

  it('are offered in a page if several can meet the requirement', async ({ cleanUp }) => {
    const place = await oidcPlace(cleanUp, twoLogins, sessionsWith([{ name: '/admin', 'acr-values': ['urn:mfa'] }]));
    const browser = place.newBrowser();
    const asked = await browser.get('/admin?x=1');
    expect(asked.location).toBe('/oidc/login?return_to=%2Fadmin%3Fx%3D1');
    const page = await browser.get(asked.location ?? '');
    const [, link = ''] = /href="([^"]*provider=partner[^"]*)"/.exec(page.body ?? '') ?? [];
    const begun = await browser.get(link.replaceAll('&amp;', '&'));
    expect(queryOf(begun.location).get('acr_values')).toBe('urn:mfa');
  });
});

describe('a refresh of tokens', () => {
  const require = [
    { name: '/admin', 'max-age-secs': 300 },
    { name: '/strong', 'acr-values': ['urn:mfa'] },
  ];

  const refreshed = async (cleanUp: CleanUp, stated: Changes, later: Changes) => {
    const place = await placeOf(cleanUp, require);
    const { provider, clock } = place;
    provider.givesRefreshTokens = true;
    provider.lies = {
      refresh: (response, honest, claims) => {
        const idToken = provider.sign({ ...claims, ...later });
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ...honest, id_token: idToken }));
      },
    };
    place.states(stated);
    const browser = await signedOn(place);
    clock.advance(280_000);
    expect((await browser.get('/orders')).status).toBe(200);
    await expect.poll(() => provider.refreshes, { timeout: 20_000 }).toBe(1);
    // The session has the claims of the refreshed token.
    await expect
      .poll(async () => JSON.stringify((await browser.get('/orders')).answer.requestHeaders), { timeout: 20_000 })
      .toContain('after the refresh');
    return { browser, clock };
  };

  it('makes no authentication stronger or more recent', async ({ cleanUp }) => {
    const later = { acr: 'urn:mfa', auth_time: 1_800_000_280, name: 'after the refresh' };
    const { browser } = await refreshed(cleanUp, { acr: undefined, auth_time: undefined }, later);
    for (const page of ['/admin', '/strong']) expect((await browser.get(page)).status).toBe(302);
  });

  it('does not make it older either', async ({ cleanUp }) => {
    const { browser, clock } = await refreshed(cleanUp, { acr: 'urn:mfa' }, { name: 'after the refresh' });
    for (const page of ['/admin', '/strong']) expect((await browser.get(page)).status).toBe(200);
    clock.advance(51_000);
    expect((await browser.get('/admin')).status).toBe(302);
    expect((await browser.get('/strong')).status).toBe(200);
  });
});
