import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import type { ProviderCookies } from '../../support/agent/live-login-provider.js';
import { type LoginCompany, startLoginCompany } from '../../support/agent/login-company.js';
import { SamlBrowser as CookieBrowser } from '../../support/agent/saml-browser.js';
import { startBrowser, tlsMembers } from '../../support/shared/browser.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { startRedis } from '../../support/shared/redis-server.js';
import { ofEachWorker } from '../../support/shared/worker-stack.js';

const it = baseIt.extend('browser', { scope: 'file' }, ({ fileCleanUp }) => startBrowser(fileCleanUp));

const sessionCookie = '__Host-portcullis_session';

/** A browser that is signed on at the gateway, and its cookies at the provider. */
const signOn = async ({ stack, provider }: LoginCompany, path = '/app/orders') => {
  const browser = new CookieBrowser(stack.port);
  const atProvider: ProviderCookies = new Map();
  const asked = await browser.visit(path);
  const callback = await provider.authorize(asked.headers.location ?? '', atProvider);
  const completed = await browser.visit(callback.replace(/^https?:\/\/[^/]+/, ''));
  expect([completed.status, completed.headers.location]).toEqual([302, path]);
  return { browser, atProvider };
};

describe('a sign-out at oidc-provider', () => {
  baseIt('ends the session at both workers within a second, and no other session', async ({ cleanUp }) => {
    const company = await startLoginCompany(cleanUp, { transport: 'embedded', workers: 2, adminToken: 'let-me-in' });
    const { stack, provider } = company;
    const [one, other] = [await signOn(company), await signOn(company)];
    const seenByEach = () =>
      ofEachWorker(stack, async () => [
        (await one.browser.visit('/app/orders')).status,
        (await other.browser.visit('/app/orders')).status,
      ]);
    expect(await seenByEach()).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const session = one.browser.cookie(sessionCookie) ?? '';
    // The provider answers after its client has answered, so nothing is left to wait for.
    await provider.endSession(one.atProvider);
    expect(provider.backChannelFaults).toEqual([]);
    const copy = new CookieBrowser(stack.port);
    copy.setCookie(sessionCookie, session);
    await expect.poll(async () => (await copy.visit('/app/orders')).status, { timeout: 1_000 }).toBe(302);
    const ended = await ofEachWorker(stack, async () => {
      const late = new CookieBrowser(stack.port);
      late.setCookie(sessionCookie, session);
      return [(await late.visit('/app/orders')).status, (await other.browser.visit('/app/orders')).status];
    });
    expect(ended).toEqual([
      [302, 200],
      [302, 200],
    ]);
  });
});

describeWithPeers(['redis-server'], 'a sign-out at oidc-provider, with two gateways and one Redis', () => {
  baseIt('ends the session at the other gateway within five seconds', async ({ cleanUp }) => {
    const redis = await startRedis();
    cleanUp.add(() => redis.remove());
    const store = `store "redis"; url "${redis.url().reveal()}"`;
    const first = await startLoginCompany(cleanUp, { transport: 'embedded', store });
    const second = await startLoginCompany(cleanUp, { transport: 'socket', store, beside: first });
    const { browser, atProvider } = await signOn(first);
    const elsewhere = new CookieBrowser(second.stack.port);
    elsewhere.setCookie(sessionCookie, browser.cookie(sessionCookie) ?? '');
    expect((await elsewhere.visit('/app/orders')).status).toBe(200);
    await first.provider.endSession(atProvider);
    const endedMs = performance.now();
    expect((await browser.visit('/app/orders')).status).toBe(302);
    // Its own host is no public URL, so it begins no sign-on there.
    await expect
      .poll(async () => (await elsewhere.visit('/app/orders')).status, { timeout: 15_000, interval: 100 })
      .toBe(401);
    // 5 s, and one for a busy host.
    expect(performance.now() - endedMs).toBeLessThan(6_000);
  });
});

describeWithPeers(['chromium'], 'a page of the provider in Chromium', () => {
  it('ends a session in a frame, which no other site may show', async ({ browser, cleanUp }) => {
    const { stack, provider } = await startLoginCompany(cleanUp, {
      transport: 'socket',
      origin: 'https://localhost',
      listenerMembers: tlsMembers(cleanUp),
    });
    const origin = `https://localhost:${stack.port}`;
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    cleanUp.add(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}/app/orders`);
    expect(page.url()).toBe(`${origin}/app/orders`);
    const frameOf = (sid: string): string => {
      const query = new URLSearchParams({ iss: provider.issuer, sid });
      return `<iframe src="${origin}/oidc/frontchannel-logout?${query}"></iframe>`.replaceAll('&', '&amp;');
    };
    const other = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(frameOf('another'));
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => new Promise((resolve) => other.close(resolve)));
    const frameText = async () => ((await page.frameLocator('iframe').locator('body').textContent()) ?? '').trim();
    const blocked: string[] = [];
    page.on('requestfailed', (request) => blocked.push(request.failure()?.errorText ?? ''));
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    await expect.poll(() => blocked, { timeout: 5_000 }).toEqual(['net::ERR_BLOCKED_BY_RESPONSE']);
    expect(await frameText()).not.toContain('Signed out.');
    await page.goto(`${origin}/app/orders`);
    expect(page.url()).toBe(`${origin}/app/orders`);
    provider.framePage = frameOf(provider.sids.at(-1) ?? '');
    await page.goto(`${provider.issuer}/frame`);
    expect(await frameText()).toBe('Signed out.');
    const requests = provider.paths.length;
    await page.goto(`${origin}/app/orders`);
    // The session has ended: the browser went to the provider again.
    expect(provider.paths.slice(requests)).toContain('/auth');
  });

  it('shows the page after the back button and a double click, with two workers', async ({ browser, cleanUp }) => {
    const { stack, provider } = await startLoginCompany(cleanUp, {
      transport: 'embedded',
      workers: 2,
      origin: 'https://localhost',
      listenerMembers: tlsMembers(cleanUp),
    });
    const origin = `https://localhost:${stack.port}`;
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    cleanUp.add(() => context.close());
    const page = await context.newPage();
    let callback = '';
    page.on('request', (request) => {
      if (request.url().startsWith(`${origin}/oidc/callback/corp?`)) callback = request.url();
    });
    await page.goto(`${origin}/app/orders?page=2`);
    expect(page.url()).toBe(`${origin}/app/orders?page=2`);
    // The callback again, as after the back button.
    await page.goto(callback);
    expect(page.url()).toBe(`${origin}/app/orders?page=2`);
    // A double click on a link of the provider: two navigations, of which the browser gives up the first.
    await context.clearCookies();
    const asked = await context.request.get(`${origin}/app/orders?page=3`, { maxRedirects: 0 });
    const link = await provider.authorize(asked.headers()['location'] ?? '');
    await page.route(`${provider.issuer}/link`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${link.replaceAll('&', '&amp;')}">Continue</a>` }),
    );
    await page.goto(`${provider.issuer}/link`);
    await page.getByRole('link', { name: 'Continue' }).dblclick();
    const again = page.getByRole('link', { name: 'Sign in again' });
    // The first click may have opened a session, or its answer is lost: then a link begins anew.
    await expect
      .poll(async () => page.url() === `${origin}/app/orders?page=3` || (await again.isVisible()), { timeout: 15_000 })
      .toBe(true);
    if (await again.isVisible()) await again.click();
    await page.waitForURL(`${origin}/app/orders?page=3`);
  });
});
