import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';
import { loginConfig, oidcPlace, sessionCookie } from '../../../../../support/agent/oidc-agent.js';
import { it } from '../../../../../support/shared/fixtures.js';

const page = 'https://portal.example.com/bye';

type CleanUp = Parameters<typeof oidcPlace>[0];

/** A browser with a session, and a copy of its cookies. */
const signedOn = async (cleanUp: CleanUp, login: JsonObject = {}) => {
  const place = await oidcPlace(cleanUp, login);
  const browser = place.newBrowser();
  const done = await browser.callback(place.provider.authorize(await browser.begin()));
  expect(done.status).toBe(302);
  const copy = place.newBrowser();
  copy.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) ?? '');
  return { ...place, browser, copy };
};

describe('a sign-out', () => {
  it('ends the session here first, then leads to the provider with the ID token', async ({ cleanUp }) => {
    const { browser, copy, logger } = await signedOn(cleanUp, {
      'end-session-url': 'https://id.example/end?x=1',
      'post-logout-url': page,
    });
    const { status, location } = await browser.get('/oidc/logout');
    expect(status).toBe(302);
    const url = new URL(location ?? '');
    expect(url.origin + url.pathname).toBe('https://id.example/end');
    expect(url.searchParams.get('x')).toBe('1');
    const hint = url.searchParams.get('id_token_hint') ?? '';
    const claims = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString()) as JsonObject;
    expect(claims['sub']).toBe('ann');
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(page);
    expect(url.searchParams.get('state')).toMatch(/^[\w-]{43}$/);
    expect(url.searchParams.has('client_id')).toBe(false);
    expect(browser.cookies.size).toBe(0);
    expect((await copy.get('/orders')).status).toBe(302);
    expect(JSON.stringify(logger.lines)).not.toContain(hint);
  });

  it('names the client if the ID token is too long to keep', async ({ cleanUp }) => {
    const place = await oidcPlace(cleanUp, { 'end-session-url': 'https://id.example/end' });
    place.provider.lies = { claims: (claims) => ({ ...claims, long: 'x'.repeat(4_000) }) };
    const browser = place.newBrowser();
    await browser.callback(place.provider.authorize(await browser.begin()));
    expect((await browser.get('/oidc/logout')).location).toBe('https://id.example/end?client_id=portal');
  });

  it('asks no provider without a session', async ({ cleanUp }) => {
    const { newBrowser } = await oidcPlace(cleanUp, { 'end-session-url': 'https://id.example/end' });
    expect(await newBrowser().get('/oidc/logout')).toMatchObject({ status: 200, location: null });
  });

  it('leads to the page if the provider has no endpoint, or there is no session', async ({ cleanUp }) => {
    const { browser } = await signedOn(cleanUp, { 'post-logout-url': page });
    expect(await browser.get('/oidc/logout')).toMatchObject({ status: 302, location: page });
    expect(await browser.get('/oidc/logout')).toMatchObject({ status: 302, location: page });
  });

  it('takes the endpoint from the discovery document', async ({ cleanUp }) => {
    const place = await oidcPlace(cleanUp, (provider) => {
      provider.lies = { discovery: { end_session_endpoint: `${provider.issuer}/end` } };
      return [loginConfig(provider)];
    });
    const browser = place.newBrowser();
    await browser.callback(place.provider.authorize(await browser.begin()));
    const answer = await browser.get('/oidc/logout');
    expect(answer).toMatchObject({ status: 302 });
    expect(answer.location).toContain(`${place.provider.issuer}/end?id_token_hint=`);
  });

  it('takes only GET', async ({ cleanUp }) => {
    const { browser, copy } = await signedOn(cleanUp);
    expect((await browser.get('/oidc/logout', [], 'HEAD')).status).toBe(405);
    expect((await browser.post('/oidc/logout', {})).status).toBe(405);
    expect((await copy.get('/orders')).status).toBe(200);
  });
});
