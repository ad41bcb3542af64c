import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { LiveLoginProvider, loginClientSecret } from '../../support/agent/live-login-provider.js';
import { startBrowser, tlsMembers } from '../../support/shared/browser.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const [first, second, other] = ['https://a.example.test', 'https://b.example.test', 'https://c.example.test'] as const;
const sessionCookie = '__Secure-portal';

interface Company {
  readonly stack: GatewayStack;
  readonly provider: LiveLoginProvider;
}

/** One agent for all hosts of example.test; two of them have a callback at the provider. */
const startCompany = async (cleanUp: CleanUp, listenerMembers = ''): Promise<Company> => {
  const provider = new LiveLoginProvider();
  await provider.start();
  cleanUp.add(() => provider.stop());
  provider.register({ redirectUris: [first, second].map((origin) => `${origin}/oidc/callback/corp`) });
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const stack = await startStack(cleanUp, {
    transport: 'embedded',
    agentMembers: 'events "request_headers" "request_body_chunk"; timeout-ms 10000',
    listenerMembers,
    env: { GATEWAY_WORKER_THREADS: '2' },
    agentConfig: `
      sessions {
        store "sqlite"
        path "${folder.file('store/sessions.db')}"
        cookie-name "${sessionCookie}"
        cookie-domain "example.test"
      }
      oidc-login "corp" {
        issuer "${provider.issuer}"
        client-id "portal"
        client-secret "${loginClientSecret}"
        public-url "${first}" "${second}"
      }`,
  });
  return { stack, provider };
};

/** The pages that upstreams have answered. Browsers ask for an icon whenever they like. */
const pages = ({ upstream }: GatewayStack): readonly string[] =>
  upstream.received.flatMap(({ url = '' }) => (url === '/favicon.ico' ? [] : [url]));

const it = baseIt
  .extend('company', { scope: 'file' }, ({ fileCleanUp }) => startCompany(fileCleanUp))
  // Chromium finds every host of example.test at the gateway.
  .extend('browsed', { scope: 'file' }, async ({ fileCleanUp }) => {
    const company = await startCompany(fileCleanUp, tlsMembers(fileCleanUp));
    const rule = `--host-resolver-rules=MAP *.example.test 127.0.0.1:${company.stack.port}`;
    return { ...company, browser: await startBrowser(fileCleanUp, [rule]) };
  });

describeWithPeers(['chromium'], 'one sign-on for the hosts of a domain, in a browser', () => {
  const openPage = async (browser: Browser, cleanUp: CleanUp) => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    cleanUp.add(() => context.close());
    return { context, page: await context.newPage() };
  };

  const authorizations = ({ paths }: LiveLoginProvider): number => paths.filter((path) => path === '/auth').length;
  const visit = async (page: Page, url: string): Promise<void> => {
    expect((await page.goto(url))?.status()).toBe(200);
    expect(page.url()).toBe(url);
  };

  it('opens all of them, and a sign-out at one of them ends it at all', async ({
    cleanUp,
    browsed: { stack, provider, browser },
  }) => {
    const { context, page } = await openPage(browser, cleanUp);
    await visit(page, `${first}/orders?page=2`);
    expect(authorizations(provider)).toBe(1);
    const cookies = await context.cookies([first, second, other]);
    expect(cookies.map(({ name, domain }) => [name, domain])).toEqual([[sessionCookie, '.example.test']]);
    await visit(page, `${second}/stock`);
    await visit(page, `${other}/wiki`);
    expect(authorizations(provider)).toBe(1);
    expect(pages(stack)).toEqual(['/orders?page=2', '/stock', '/wiki']);

    await page.goto(`${second}/oidc/logout`);
    expect(page.url()).toContain('/session/end?id_token_hint=');
    expect(await context.cookies([first, second, other])).toEqual([]);
    // Whoever has kept a copy of the cookie is signed out at the other hosts too.
    const copy = `${sessionCookie}=${cookies[0]?.value}`;
    for (const origin of [first, second, other]) {
      const headers = { host: new URL(origin).host, cookie: copy, accept: 'text/html' };
      const answer = await call(stack.port, { headers, tls: { rejectUnauthorized: false } });
      expect([origin, answer.status]).toEqual([origin, 302]);
    }
    expect(pages(stack)).toHaveLength(3);
    await visit(page, `${first}/orders`);
    expect(authorizations(provider)).toBe(2);
  });

  it('begins at a host without a callback, and returns to its deep link', async ({
    cleanUp,
    browsed: { stack, provider, browser },
  }) => {
    const { context, page } = await openPage(browser, cleanUp);
    const hosts: string[] = [];
    page.on('request', (request) => {
      if (request.isNavigationRequest()) hosts.push(new URL(request.url()).origin);
    });
    const deep = `${other}/wiki/a%20b?q=%C3%A4%2F%26&page=2`;
    await visit(page, deep);
    expect(new Set(hosts)).toEqual(new Set([other, first, new URL(provider.issuer).origin]));
    expect(pages(stack).at(-1)).toBe('/wiki/a%20b?q=%C3%A4%2F%26&page=2');
    // The cookies that bound the sign-on to the browser were those of one host, and are gone.
    expect((await context.cookies([first, other])).map(({ name }) => name)).toEqual([sessionCookie]);
  });
});

describe('a host that a request invents', () => {
  const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

  it('never chooses the origin of a redirect URI', async ({ company: { stack, provider } }) => {
    const redirectUri = (location: string | undefined) => new URL(location ?? '').searchParams.get('redirect_uri');
    const forged: readonly Record<string, string>[] = [
      { 'x-forwarded-host': 'evil.test' },
      { 'x-forwarded-host': 'b.example.test' },
      { 'x-forwarded-host': 'evil.test, a.example.test', 'x-forwarded-proto': 'http', 'x-forwarded-port': '81' },
      { forwarded: 'host=evil.test;proto=http' },
      { 'x-original-host': 'evil.test', 'x-host': 'evil.test', 'x-rewrite-url': 'https://evil.test/' },
    ];
    for (const headers of forged) {
      const answer = await stack.ask({
        path: '/orders',
        headers: { ...navigation, host: 'a.example.test', ...headers },
      });
      expect(answer.status).toBe(302);
      expect(answer.headers.location).toMatch(new RegExp(`^${provider.issuer}/auth\\?`));
      expect(redirectUri(answer.headers.location)).toBe(`${first}/oidc/callback/corp`);
    }
    const capitals = await stack.ask({ headers: { ...navigation, host: 'B.Example.TEST' } });
    expect(redirectUri(capitals.headers.location)).toBe(`${second}/oidc/callback/corp`);
    // A proxy-style request line names the host too, and wins over the field (RFC 9112, section 3.2.2).
    const absolute = await stack.ask({
      path: 'http://evil.test/orders',
      headers: { ...navigation, host: 'a.example.test' },
    });
    expect([absolute.status === 401 || absolute.status === 400, absolute.headers.location]).toEqual([true, undefined]);
  });

  it('gets 401 and no cookie outside the domain', async ({ company: { stack, provider } }) => {
    const strangers = [
      'evil.test',
      'example.test.evil.org',
      'a.example.test.evil.org',
      'evilexample.test',
      'a.example.test.',
      'xn--a-example-test-',
      '[::1]',
      '127.0.0.1',
      'localhost:443',
    ];
    for (const host of strangers) {
      for (const path of [
        '/orders',
        '/oidc/login?provider=corp&return_to=/x',
        '/oidc/login?return_to=https://evil.test/',
      ]) {
        const { status, headers } = await stack.ask({ path, headers: { ...navigation, host } });
        expect([host, path, status]).toEqual([host, path, 401]);
        expect([headers.location, headers['set-cookie']]).toEqual([undefined, undefined]);
      }
    }
    for (const host of [
      'a.example.test@evil.test',
      'a.example.test/evil.test',
      'a.example.test#evil',
      'a b',
      'evil\\x',
    ]) {
      expect([host, (await stack.ask({ headers: { ...navigation, host } })).status]).toEqual([host, 400]);
    }
    const twice = ['host', 'a.example.test', 'host', 'evil.test'];
    expect((await stack.ask({ headers: twice })).status).toBe(400);
    expect(provider.paths.filter((path) => path === '/auth')).toEqual([]);
    expect(stack.upstream.received).toEqual([]);
  });

  it('with another port is sent to the first origin, and its page becomes the root', async ({ company: { stack } }) => {
    for (const host of ['a.example.test:8443', 'c.example.test:8443']) {
      const sent = await stack.ask({ path: '/orders', headers: { ...navigation, host } });
      const login = new URL(sent.headers.location ?? '');
      expect([sent.status, login.origin, login.pathname]).toEqual([302, first, '/oidc/login']);
      expect(login.searchParams.get('return_to')).toBe(`https://${host}/orders`);
      expect(sent.headers['set-cookie']).toBeUndefined();
    }
  });
});
