import { describe, expect } from 'vitest';
import type { LyingOidcProvider } from '../../../../../support/agent/lying-oidc-provider.js';
import { type OidcBrowser, oidcPlace, sessionCookie } from '../../../../../support/agent/oidc-agent.js';
import { eventually } from '../../../../../support/shared/eventually.js';
import { it } from '../../../../../support/shared/fixtures.js';

/** The provider redirects the browser, so the request comes from another site. */
const crossSite = ['sec-fetch-site', 'cross-site'];

type Code = ReturnType<LyingOidcProvider['authorize']>;

const send = (browser: OidcBrowser, code: Code, more: readonly string[] = crossSite) =>
  browser.get(`/oidc/callback/corp?${new URLSearchParams(code)}`, more);

/** Two callbacks at the same moment; the token endpoint answers when the test says so. */
const twice = async (
  cleanUp: Parameters<typeof oidcPlace>[0],
  respond: (members: Readonly<Record<string, unknown>>) => { readonly status: number; readonly body: unknown },
) => {
  const place = await oidcPlace(cleanUp);
  const { provider, newBrowser } = place;
  const browser = newBrowser();
  const code = provider.authorize(await browser.begin());
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  provider.lies = {
    token: (response, members) => {
      const { status, body } = respond(members);
      void released.then(() => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    },
  };
  const first = send(browser, code);
  await eventually(() => provider.requests.length === 1);
  const second = send(browser, code);
  return { ...place, browser, code, release, answers: Promise.all([first, second]) };
};

describe('two equal callbacks at the same moment', () => {
  it('open one session, and both lead to the page', async ({ cleanUp }) => {
    const { provider, browser, release, answers, logger } = await twice(cleanUp, (body) => ({ status: 200, body }));
    release();
    const [first, second] = await answers;
    expect(first).toMatchObject({ status: 302, location: '/orders?page=2' });
    expect(second).toMatchObject({ status: 303, location: '/orders?page=2' });
    expect(provider.requests).toHaveLength(1);
    expect((await browser.get('/orders')).status).toBe(200);
    expect(logger.lines.filter(({ fields }) => fields['reason'] === 'replayed')).toHaveLength(1);
    expect(logger.lines.filter(({ message }) => message === 'sign-on completed')).toHaveLength(1);
  });

  it('both end with a link to begin anew, if the provider refuses the code', async ({ cleanUp }) => {
    const { provider, browser, release, answers } = await twice(cleanUp, () => ({
      status: 400,
      body: { error: 'invalid_grant' },
    }));
    release();
    const [first, second] = await answers;
    expect([first.status, second.status]).toEqual([403, 403]);
    expect(second.body).toContain('<a href="/orders?page=2">Sign in again</a>');
    expect(browser.cookies.has(sessionCookie)).toBe(false);
    provider.lies = {};
    expect((await browser.callback(provider.authorize(await browser.begin('/again')))).location).toBe('/again');
  });

  it('that another site sends without the cookies of the browser learn nothing', async ({ cleanUp }) => {
    const { code, newBrowser, release, answers } = await twice(cleanUp, (body) => ({ status: 200, body }));
    const stranger = await send(newBrowser(), code, []);
    expect(stranger.status).toBe(403);
    expect(stranger.body).not.toContain('/orders');
    release();
    await answers;
  });
});

describe('a callback whose first answer was lost', () => {
  it('gets a link to begin anew after a bounded wait', async ({ cleanUp }) => {
    const { browser, code, release, answers } = await twice(cleanUp, (body) => ({ status: 200, body }));
    // The first request holds the sign-on for longer than the others wait.
    const third = await send(browser, code);
    expect(third.status).toBe(403);
    expect(third.body).toContain('<a href="/">Begin again</a>');
    release();
    expect((await answers)[0]).toMatchObject({ status: 302, location: '/orders?page=2' });
  });
});
