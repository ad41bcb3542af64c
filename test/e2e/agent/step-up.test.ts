import { inflateRawSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { type LoginCompany, startLoginCompany } from '../../support/agent/login-company.js';
import { SamlBrowser as CookieBrowser } from '../../support/agent/saml-browser.js';
import { startCompany } from '../../support/agent/saml-company.js';
import { startBrowser, tlsMembers } from '../../support/shared/browser.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const pwd = 'urn:example:pwd';
const mfa = 'urn:example:mfa';
const sessions = `require "/app/admin" { provider "corp"; acr-values "${mfa}"; max-age-secs 3600 }`;

const json = { accept: 'application/json' };

const it = baseIt
  .extend('chromium', { scope: 'file' }, ({ fileCleanUp }) => startBrowser(fileCleanUp))
  .extend('company', { scope: 'file' }, ({ fileCleanUp }) =>
    startLoginCompany(fileCleanUp, { transport: 'embedded', sessions, workers: 2 }),
  )
  .extend('browser', ({ company }) => new CookieBrowser(company.stack.port));

const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');

const codeOf = ({ status, body }: { readonly status: number; readonly body: string }): string =>
  `${status} ${/"code":"(\w+)"/.exec(body)?.[1]}`;

describe('a stronger sign-on at oidc-provider', () => {
  const arrivedAt = ({ stack }: LoginCompany, path: string) =>
    stack.upstream.received.filter(({ url }) => url?.startsWith(path));

  it('opens a page that requires it, on all workers', async ({ company, browser }) => {
    const { provider } = company;
    provider.acrValues = [pwd, mfa];
    const atProvider = new Map<string, string>();
    const signOn = async (path: string) => {
      const { headers } = await browser.visit(path);
      return browser.visit(pathOf(await provider.authorize(headers.location ?? '', atProvider)));
    };
    expect((await signOn('/app/orders')).headers.location).toBe('/app/orders');
    const refused = await browser.visit('/app/admin', json);
    expect(codeOf(refused)).toBe('401 insufficient_user_authentication');
    expect(refused.headers['www-authenticate']).toContain(`acr_values="${mfa}", max_age="3600"`);
    // The provider knows its user, and asks again because of the context.
    expect((await signOn('/app/admin/users?page=2')).headers.location).toBe('/app/admin/users?page=2');
    for (let index = 0; index < 4; index += 1) expect((await browser.visit('/app/admin/a', json)).status).toBe(200);
    expect(arrivedAt(company, '/app/admin/a')).toHaveLength(4);
  });

  it('is one round if the provider never grants it, and the page never opens', async ({ company, browser }) => {
    const { provider } = company;
    provider.acrValues = [pwd];
    const { headers } = await browser.visit('/app/admin/b');
    const refused = await browser.visit(pathOf(await provider.authorize(headers.location ?? '')), json);
    expect(codeOf(refused)).toBe('403 step_up_failed');
    expect(browser.cookieNames()).toEqual([]);
    expect(arrivedAt(company, '/app/admin/b')).toEqual([]);
  });

  it('is asked of WebSocket handshakes and changes too, as 401', async ({ company, browser }) => {
    const { stack, provider } = company;
    provider.acrValues = [pwd, mfa];
    const begun = await browser.visit('/app/orders');
    await browser.visit(pathOf(await provider.authorize(begun.headers.location ?? '')));
    const cookie = `__Host-portcullis_session=${browser.cookie('__Host-portcullis_session')}`;
    const posted = await call(stack.port, { path: '/app/admin/c', method: 'POST', headers: { cookie }, body: 'x' });
    expect(codeOf(posted)).toBe('401 insufficient_user_authentication');
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    const headers = { cookie, ...upgrade, 'sec-websocket-version': '13' };
    const opened = await call(stack.port, { path: '/app/admin/c', headers });
    expect(codeOf(opened)).toBe('401 insufficient_user_authentication');
    expect(arrivedAt(company, '/app/admin/c')).toEqual([]);
  });
});

describe('a stronger sign-on at samlify', () => {
  const key = 'urn:oasis:names:tc:SAML:2.0:ac:classes:X509';
  const requireKey = `require "/app/admin" { provider "saml"; acr-values "${key}"; max-age-secs 600 }`;

  baseIt('asks for a new authentication in the context, and checks both', async ({ cleanUp }) => {
    const { stack, provider } = await startCompany(cleanUp, { transport: 'embedded', sessions: requireKey });
    const browser = new CookieBrowser(stack.port);
    expect((await browser.signOn('/app/orders')).headers.location).toBe('/app/orders');
    const { headers } = await browser.visit('/app/admin');
    const query = new URL(headers.location ?? '').searchParams;
    const xml = inflateRawSync(Buffer.from(query.get('SAMLRequest') ?? '', 'base64')).toString();
    expect(xml).toContain('ForceAuthn="true"');
    expect(xml).toContain(`${key}</saml:AuthnContextClassRef>`);
    const before = browser.cookie('gateway_saml_session');
    const weak = await browser.post(await browser.pageFor('/app/admin'));
    expect([weak.status, weak.body.includes('The sign-on does not suffice')]).toEqual([403, true]);
    provider.context = key;
    provider.authenticatedAgoMs = 3_600_000;
    expect((await browser.post(await browser.pageFor('/app/admin'))).status).toBe(403);
    expect(browser.cookie('gateway_saml_session')).toBe(before);
    provider.authenticatedAgoMs = 0;
    expect((await browser.signOn('/app/admin/x?y=1')).headers.location).toBe('/app/admin/x?y=1');
    expect((await browser.visit('/app/admin/x?y=1')).status).toBe(200);
  });
});

describeWithPeers(['chromium'], 'a browser on a page that requires a stronger sign-on', () => {
  it('opens the page after one round, or shows why not', async ({ chromium, cleanUp }) => {
    const { stack, provider } = await startLoginCompany(cleanUp, {
      transport: 'socket',
      origin: 'https://localhost',
      listenerMembers: tlsMembers(cleanUp),
      sessions,
    });
    provider.acrValues = [pwd];
    const origin = `https://localhost:${stack.port}`;
    const context = await chromium.newContext({ ignoreHTTPSErrors: true });
    cleanUp.add(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}/app/orders`);
    expect(page.url()).toBe(`${origin}/app/orders`);
    const refused = await page.goto(`${origin}/app/admin?x=1`);
    expect(refused?.status()).toBe(403);
    expect(await page.title()).toContain('The sign-on does not suffice');
    provider.acrValues = [mfa];
    await page.goto(`${origin}/app/admin?x=1`);
    expect(page.url()).toBe(`${origin}/app/admin?x=1`);
    const status = await page.evaluate(
      'fetch("/app/admin/api", { headers: { accept: "application/json" } }).then((r) => r.status)',
    );
    expect(status).toBe(200);
  });
});
