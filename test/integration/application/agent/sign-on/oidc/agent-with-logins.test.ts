import { describe, expect } from 'vitest';
import { oidcPlace, portal, sessionCookie } from '../../../../../support/agent/oidc-agent.js';
import { requestEvent, upstreamHeaders } from '../../../../../support/agent/test-agent.js';
import { it } from '../../../../../support/shared/fixtures.js';

const headerOf = (headers: readonly string[], name: string): string | undefined => {
  const index = headers.findIndex((each, place) => place % 2 === 0 && each.toLowerCase() === name.toLowerCase());
  return index < 0 ? undefined : headers[index + 1];
};

describe('a sign-on at an OpenID provider', () => {
  it('opens a session, and returns to the page', async ({ cleanUp }) => {
    const { provider, newBrowser, logger } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    const location = await browser.begin('/orders?page=2&x=%2F');
    const query = new URL(location).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      response_type: 'code',
      client_id: 'portal',
      redirect_uri: `https://${portal}/oidc/callback/corp`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect([...browser.cookies.keys()]).toEqual([
      expect.stringMatching(/^__Host-portcullis_session_signon_[0-9a-f]{8}$/),
    ]);
    const completed = await browser.callback(provider.authorize(location));
    expect(completed).toMatchObject({ status: 302, location: '/orders?page=2&x=%2F' });
    expect([...browser.cookies.keys()]).toEqual([sessionCookie]);
    expect((await browser.get('/orders')).status).toBe(200);
    expect(logger.lines.filter(({ message }) => message === 'sign-on completed')).toHaveLength(1);
    expect(provider.requests).toHaveLength(1);
  });

  it('forwards claims, mapped headers and the method', async ({ cleanUp }) => {
    const { agent, provider, newBrowser } = await oidcPlace(cleanUp, {
      'claim-mapping': {
        email: 'X-User-Email',
        'realm_access.roles': 'X-Roles',
        level: 'X-Level',
        missing: 'X-Missing',
      },
    });
    provider.user = { ...provider.user, realm_access: { roles: ['a', 'b,c'] }, level: 7 };
    const browser = newBrowser();
    await browser.callback(provider.authorize(await browser.begin()));
    const headers = [
      'cookie',
      `${sessionCookie}=${browser.cookies.get(sessionCookie)}`,
      'x-user-email',
      'forged',
      'x-missing',
      'forged',
    ];
    const answer = await agent.decide({ ...requestEvent(headers, 'r'), uri: '/' }, Symbol('connection'));
    const upstream = upstreamHeaders(headers, answer);
    expect(headerOf(upstream, 'X-User-Id')).toBe('ann');
    expect(headerOf(upstream, 'X-Auth-Method')).toBe('oidc');
    expect(headerOf(upstream, 'X-User-Email')).toBe('ann@example.com');
    expect(headerOf(upstream, 'X-Roles')).toBe('a,b%2Cc');
    expect(headerOf(upstream, 'X-Level')).toBe('7');
    expect(headerOf(upstream, 'X-Missing')).toBeUndefined();
    expect(headerOf(upstream, 'X-Auth-Claim-email')).toBe('ann@example.com');
    expect(headerOf(upstream, 'X-Auth-Claim-iss')).toBe(provider.issuer);
    expect(headerOf(upstream, 'cookie')).toBeUndefined();
  });

  it('finishes in two tabs, each at its page', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    const first = await browser.begin('/first');
    const second = await browser.begin('/second');
    expect((await browser.callback(provider.authorize(second))).location).toBe('/second');
    expect((await browser.callback(provider.authorize(first))).location).toBe('/first');
    expect((await browser.get('/orders')).status).toBe(200);
  });

  it('answers a script with 401, and begins no sign-on', async ({ cleanUp }) => {
    const { newBrowser } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    expect((await browser.get('/orders', ['x-requested-with', 'XMLHttpRequest'])).status).toBe(401);
    expect((await browser.get('/orders', ['sec-fetch-mode', 'cors'])).status).toBe(401);
    expect(browser.cookies.size).toBe(0);
  });

  it('protects only the configured paths', async ({ cleanUp }) => {
    const { newBrowser } = await oidcPlace(cleanUp, { 'protected-paths': ['/app'], 'excluded-paths': ['/app/public'] });
    const browser = newBrowser();
    expect((await browser.get('/app/x')).status).toBe(302);
    expect((await browser.get('/other')).status).toBe(401);
    expect((await browser.get('/app/public/x')).status).toBe(401);
  });

  it('takes a posted callback with form_post', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp, { 'response-mode': 'form_post' });
    const browser = newBrowser();
    const location = await browser.begin();
    expect(new URL(location).searchParams.get('response_mode')).toBe('form_post');
    const posted = await browser.post('/oidc/callback/corp', provider.authorize(location));
    expect(posted).toMatchObject({ status: 302, location: '/orders?page=2' });
  });

  it('takes no posted callback otherwise, and no HEAD', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    const code = provider.authorize(await browser.begin());
    expect((await browser.post('/oidc/callback/corp', code)).status).toBe(405);
    expect((await browser.get(`/oidc/callback/corp?${new URLSearchParams(code)}`, [], 'HEAD')).status).toBe(405);
    expect((await browser.callback(code)).status).toBe(302);
  });

  it('answers a callback that comes again with 303 to the page', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    const code = provider.authorize(await browser.begin());
    await browser.callback(code);
    expect(await browser.callback(code)).toMatchObject({ status: 303, location: '/orders?page=2' });
    expect(provider.requests).toHaveLength(1);
    await browser.get('/oidc/logout');
    const over = await browser.callback(code);
    expect(over.status).toBe(403);
    expect(over.body).toContain('<a href="/">');
    const other = newBrowser();
    expect((await other.callback(code)).body).not.toContain('/orders');
  });

  it('signs out of this agent', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    await browser.callback(provider.authorize(await browser.begin()));
    const copy = newBrowser();
    copy.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) ?? '');
    expect((await browser.get('/oidc/logout')).status).toBe(200);
    expect(browser.cookies.size).toBe(0);
    expect((await copy.get('/orders')).status).toBe(302);
  });

  it('uses the first public URL for the hosts of the cookie domain, and 401 for others', async ({ cleanUp }) => {
    const { provider, newBrowser } = await oidcPlace(
      cleanUp,
      {},
      { sessions: { store: 'memory', 'cookie-domain': 'example.com', 'cookie-name': '__Secure-s' } },
    );
    const app = newBrowser('app.example.com');
    const { status, location } = await app.get('/deep?x=1');
    expect(status).toBe(302);
    const url = new URL(location ?? '');
    expect(url.origin + url.pathname).toBe(`https://${portal}/oidc/login`);
    expect(url.searchParams.get('return_to')).toBe('https://app.example.com/deep?x=1');
    expect(app.cookies.size).toBe(0);
    const there = newBrowser();
    const asked = await there.get(url.pathname + url.search);
    const completed = await there.callback(provider.authorize(asked.location ?? ''));
    expect(completed.location).toBe('https://app.example.com/deep?x=1');
    for (const host of ['evil.org', 'example.com.evil.org', 'evilexample.com']) {
      const foreign = newBrowser(host);
      expect((await foreign.get('/')).status).toBe(401);
      expect((await foreign.get('/oidc/login?return_to=/x')).status).toBe(401);
      expect(foreign.cookies.size).toBe(0);
    }
  });

  it('never takes a public URL from the request', async ({ cleanUp }) => {
    const { newBrowser } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    const { location } = await browser.get('/', ['x-forwarded-host', 'evil.org', 'forwarded', 'host=evil.org']);
    expect(new URL(location ?? '').searchParams.get('redirect_uri')).toBe(`https://${portal}/oidc/callback/corp`);
  });

  it('keeps at most eight sign-ons in a browser', async ({ cleanUp }) => {
    const { clock, provider, newBrowser } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    const locations: string[] = [];
    for (let index = 0; index < 10; index += 1) {
      locations.push(await browser.begin(`/${index}`));
      clock.advance(1_000);
    }
    expect(browser.cookies.size).toBe(8);
    expect((await browser.callback(provider.authorize(locations[0] ?? ''))).status).toBe(403);
    expect((await browser.callback(provider.authorize(locations[9] ?? ''))).location).toBe('/9');
  });

  it('takes missing claims from userinfo, and those of the ID token first', async ({ cleanUp }) => {
    const { provider, newBrowser, logger } = await oidcPlace(cleanUp, { 'user-id-claim': 'email' });
    provider.user = { sub: 'ann' };
    provider.userinfo = { email: 'ann@example.com', email_verified: true };
    const browser = newBrowser();
    expect((await browser.callback(provider.authorize(await browser.begin()))).status).toBe(302);
    expect(logger.lines.find(({ message }) => message === 'sign-on completed')?.fields['user']).toBe('ann@example.com');
  });

  it('opens no session if the gateway gave up while the provider was asked', async ({ cleanUp }) => {
    const { agent, provider, newBrowser, logger } = await oidcPlace(cleanUp);
    const browser = newBrowser();
    const code = provider.authorize(await browser.begin());
    let release: () => void = () => undefined;
    provider.lies = {
      token: (response, members) => {
        release = () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(members));
        agent.cancel('gone', 'timeout', connection);
      },
    };
    const connection = Symbol('connection');
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const event = {
      ...requestEvent(['host', portal, 'cookie', cookie], 'gone'),
      uri: `/oidc/callback/corp?${new URLSearchParams(code)}`,
    };
    const answer = await agent.decide(event, connection);
    release();
    expect(answer.decision).toMatchObject({ kind: 'block', status: 503 });
    expect(logger.lines.filter(({ fields }) => fields['reason'] === 'cancelled')).toHaveLength(1);
    expect(logger.lines.some(({ message }) => message === 'sign-on completed')).toBe(false);
  });
});
