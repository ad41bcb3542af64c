import { describe, expect } from 'vitest';
import { readFormPage } from '../../support/agent/live-saml-provider.js';
import { SamlBrowser } from '../../support/agent/saml-browser.js';
import { type SamlCompany, startCompany } from '../../support/agent/saml-company.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { type GatewayStack, untilTrue } from '../../support/shared/gateway-stack.js';

const sessionCookie = 'gateway_saml_session';

const logLines = ({ gateway, agent }: GatewayStack, transport: string): string =>
  transport === 'socket' ? agent().output() : gateway.output();

const it = baseIt
  .extend('embedded', { scope: 'file' }, ({ fileCleanUp }) => startCompany(fileCleanUp, { transport: 'embedded' }))
  .extend('socket', { scope: 'file' }, ({ fileCleanUp }) => startCompany(fileCleanUp, { transport: 'socket' }));

/** Each test begins with an upstream that has received nothing. */
const unused = (company: SamlCompany): SamlCompany => {
  company.stack.upstream.received.splice(0);
  return company;
};
const itAt = {
  embedded: it.extend('company', ({ embedded }) => unused(embedded)),
  socket: it.extend('company', ({ socket }) => unused(socket)),
} as const;

describe.each(['embedded', 'socket'] as const)('single sign-on at a live identity provider, agent %s', (transport) => {
  const it = itAt[transport];

  it('returns the browser to the requested page with its query, and identifies the user to the upstream', async ({
    company: { stack },
  }) => {
    const browser = new SamlBrowser(stack.port);
    const answer = await browser.signOn('/app/orders?state=open&page=2');
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('/app/orders?state=open&page=2');
    expect(answer.headers['set-cookie']?.find((line) => line.startsWith(`${sessionCookie}=`))).toMatch(
      /^gateway_saml_session=[A-Za-z0-9_-]{43}; .*HttpOnly.*/,
    );
    // Only the session is left: the cookie of the sign-on itself has been taken back.
    expect(browser.cookieNames()).toEqual([sessionCookie]);
    expect(stack.upstream.received).toEqual([]);

    expect(
      (await browser.visit('/app/orders?state=open&page=2', { 'x-user-id': 'root', 'x-user-email': 'x@y' })).status,
    ).toBe(200);
    const [received] = stack.upstream.received;
    if (received === undefined) throw new Error('nothing reached the upstream');
    expect(valuesOf(received, 'x-user-id')).toEqual(['ada@example.com']);
    expect(valuesOf(received, 'x-auth-method')).toEqual(['saml']);
    expect(valuesOf(received, 'x-user-email')).toEqual(['ada@example.com']);
    expect(valuesOf(received, 'x-user-groups')).toEqual(['dev,ops']);
    expect(valuesOf(received, 'cookie')).toEqual([]);
  });

  it('hides the cookies of pending sign-ons from the upstream', async ({ company: { stack } }) => {
    const browser = new SamlBrowser(stack.port);
    await browser.visit('/app/given-up');
    await browser.signOn('/app');
    browser.setCookie('own', 'x');
    const names = browser.cookieNames();
    expect(names).toContain(sessionCookie);
    expect(names.filter((name) => name.startsWith(`__Host-${sessionCookie}_signon_`))).toHaveLength(1);
    expect((await browser.visit('/app')).status).toBe(200);
    const [received] = stack.upstream.received;
    if (received === undefined) throw new Error('nothing reached the upstream');
    expect(valuesOf(received, 'cookie')).toEqual(['own=x']);
  });

  it('keeps the eight latest of a hundred sign-ons that one browser begins', async ({ company: { stack } }) => {
    const browser = new SamlBrowser(stack.port);
    for (let index = 0; index < 100; index += 1) {
      expect((await browser.visit(`/app/tab/${index}`)).status).toBe(302);
      expect(browser.cookieNames().length).toBeLessThanOrEqual(8);
    }
    expect((await browser.signOn('/app/last')).headers.location).toBe('/app/last');
    expect((await browser.visit('/app/last')).status).toBe(200);
  });

  it('redirects only browser navigations with GET, and answers 401 to other requests', async ({
    company: { stack },
  }) => {
    for (const headers of [
      { accept: 'application/json' },
      { 'x-requested-with': 'XMLHttpRequest' },
      { 'sec-fetch-mode': 'cors' },
    ]) {
      expect((await stack.ask({ path: '/app', headers })).status).toBe(401);
    }
    expect((await stack.ask({ path: '/app', method: 'POST', body: 'x' })).status).toBe(401);
    expect((await new SamlBrowser(stack.port).visit('/app')).status).toBe(302);
    expect(stack.upstream.received).toEqual([]);
  });

  it('starts no sign-on on excluded or unprotected paths', async ({ company: { stack } }) => {
    const browser = new SamlBrowser(stack.port);
    expect((await browser.visit('/app/public/logo.svg')).status).toBe(401);
    expect((await browser.visit('/elsewhere')).status).toBe(401);
    expect((await browser.visit('/application')).status).toBe(401);
    await browser.signOn('/app');
    expect((await browser.visit('/app/public/logo.svg')).status).toBe(401);
    expect((await browser.visit('/elsewhere')).status).toBe(200);
  });

  it('accepts a response once, only from the browser that began the sign-on', async ({ company: { stack } }) => {
    const browser = new SamlBrowser(stack.port);
    const page = await browser.pageFor('/app/once');
    // Without any sign-on of its own under way another browser is not even listened to.
    expect((await new SamlBrowser(stack.port).post(page)).status).toBe(403);
    const other = new SamlBrowser(stack.port);
    await other.visit('/app/other');
    expect((await other.post(page)).status).toBe(403);
    expect(other.cookie(sessionCookie)).toBeUndefined();
    // Nobody's failure spoils it for the browser that it is meant for.
    expect((await browser.post(page)).status).toBe(302);
    const session = browser.cookie(sessionCookie);
    const replayed = await browser.post(page);
    expect([replayed.status, replayed.headers.location, replayed.headers['set-cookie']]).toEqual([
      303,
      '/app/once',
      undefined,
    ]);
    expect(browser.cookie(sessionCookie)).toBe(session);
    expect((await new SamlBrowser(stack.port).post(page)).status).toBe(403);
    expect((await browser.visit('/app/once')).status).toBe(200);
  });

  it('gives each sign-on a new session and ends the previous one', async ({ company: { stack } }) => {
    const browser = new SamlBrowser(stack.port);
    await browser.signOn('/app');
    const before = browser.cookie(sessionCookie) ?? '';
    const again = new SamlBrowser(stack.port);
    const page = await again.pageFor('/app');
    again.setCookie(sessionCookie, before);
    expect((await again.post(page)).status).toBe(302);
    expect(again.cookie(sessionCookie)).not.toBe(before);
    expect((await again.visit('/app')).status).toBe(200);
    expect((await browser.visit('/app')).status).toBe(302);
  });

  it('ends the session here and at the provider on sign-out', async ({ company: { stack, provider } }) => {
    const browser = new SamlBrowser(stack.port);
    await browser.signOn('/app');
    const session = browser.cookie(sessionCookie) ?? '';
    const before = provider.signOuts.length;
    const away = await browser.visit('/saml/logout');
    expect(away.status).toBe(302);
    expect(browser.cookie(sessionCookie)).toBeUndefined();
    const back = await fetch(away.headers.location ?? '', { redirect: 'manual' });
    expect(back.status).toBe(302);
    expect(provider.signOuts.slice(before)).toEqual(['LogoutRequest']);
    const { pathname, search } = new URL(back.headers.get('location') ?? '');
    expect((await browser.visit(pathname + search)).status).toBe(200);
    browser.setCookie(sessionCookie, session);
    expect((await browser.visit('/app')).status).toBe(302);
  });

  it.for(['redirect', 'post'] as const)(
    'ends the session on a signed LogoutRequest of the provider by %s, accepted once',
    async (binding, { company: { stack, provider } }) => {
      const browser = new SamlBrowser(stack.port);
      await browser.signOn('/app');
      const other = new SamlBrowser(stack.port);
      const index = provider.sessionIndexes.at(-1) ?? '';
      await other.signOn('/app');
      const before = provider.signOuts.length;
      let answered: { readonly status: number; readonly headers: { readonly location?: string | undefined } };
      if (binding === 'redirect') {
        const { pathname, search } = new URL(provider.logoutRequest('redirect', index));
        const unsigned = search.replace(/&Signature=[^&]*/, '').replace(/&SigAlg=[^&]*/, '');
        expect((await other.visit(pathname + unsigned)).status).toBe(403);
        expect((await browser.visit('/app')).status).toBe(200);
        answered = await other.visit(pathname + search);
        expect((await other.visit(pathname + search)).status).toBe(403);
      } else {
        const page = provider.logoutRequest('post', index);
        answered = await other.post(page);
        expect((await other.post(page)).status).toBe(403);
      }
      expect(answered.status).toBe(302);
      expect((await fetch(answered.headers.location ?? '')).status).toBe(200);
      expect(provider.signOuts.slice(before)).toEqual(['LogoutResponse']);
      expect((await browser.visit('/app')).status).toBe(302);
    },
  );

  it('keeps sessions and pending sign-ons over a restart of the agent', async ({ company: { stack } }) => {
    const signedOn = new SamlBrowser(stack.port);
    await signedOn.signOn('/app');
    const underWay = new SamlBrowser(stack.port);
    const page = await underWay.pageFor('/app/later');
    if (transport === 'socket') {
      await stack.agent().stop();
      stack.restartAgent();
      await stack.agentsPresent();
    } else await stack.reload();
    expect((await signedOn.visit('/app')).status).toBe(200);
    const answer = await underWay.post(page);
    expect([answer.status, answer.headers.location]).toEqual([302, '/app/later']);
    expect((await underWay.visit('/app/later')).status).toBe(200);
  });

  it('writes no secret to any log line', async ({ company: { stack } }) => {
    const browser = new SamlBrowser(stack.port);
    const page = await browser.pageFor('/app?token=of-the-query');
    await browser.post(page);
    await untilTrue('the sign-on is logged', () => logLines(stack, transport).includes('sign-on completed'));
    const session = browser.cookie(sessionCookie) ?? '';
    for (const secret of [session, page.fields['RelayState'] ?? '', page.fields['SAMLResponse'] ?? '']) {
      expect(secret.length).toBeGreaterThan(20);
      expect(stack.gateway.output()).not.toContain(secret);
      expect(logLines(stack, transport)).not.toContain(secret);
    }
  });
});

describe('a provider that takes messages by HTTP-POST only', () => {
  it('signs a browser on and off with posted forms', async ({ embedded: { stack, replaceProvider } }) => {
    const provider = await replaceProvider({ postOnly: true, wantsSignedRequests: true });
    const browser = new SamlBrowser(stack.port);
    const page = await browser.visit('/app/orders?page=2');
    expect(page.status).toBe(200);
    const answered = await browser.post(await provider.signOnBy(readFormPage(page.body)));
    expect([answered.status, answered.headers.location]).toEqual([302, '/app/orders?page=2']);
    expect((await browser.visit('/app/orders?page=2')).status).toBe(200);
    const away = readFormPage((await browser.visit('/saml/logout')).body);
    const form = new URLSearchParams(away.fields);
    expect((await fetch(away.action, { method: 'POST', body: form })).status).toBe(200);
    expect(provider.signOuts).toEqual(['LogoutRequest']);
    expect((await browser.visit('/app')).headers.location).toBeUndefined();
  });
});

describe.each([
  { signs: 'assertion', encrypts: true },
  { signs: 'response', encrypts: false },
  { signs: 'both', encrypts: false },
  { signs: 'both', encrypts: true },
] as const)('a provider that signs the $signs (encryption: $encrypts) and requires signed requests', (plan) => {
  it('signs a browser on', async ({ embedded: { stack, replaceProvider } }) => {
    await replaceProvider({ ...plan, wantsSignedRequests: true });
    const browser = new SamlBrowser(stack.port);
    expect((await browser.signOn('/app/x?y=z')).headers.location).toBe('/app/x?y=z');
    expect((await browser.visit('/app/x?y=z')).status).toBe(200);
  });
});
