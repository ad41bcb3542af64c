import { expect } from 'vitest';
import { type SamlCompany, type SamlCompanyPlan, startCompany } from '../../support/agent/saml-company.js';
import { startBrowser, tlsMembers } from '../../support/shared/browser.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { eventually } from '../../support/shared/eventually.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const startHttpsCompany = (cleanUp: CleanUp, plan: Pick<SamlCompanyPlan, 'provider'> = {}): Promise<SamlCompany> =>
  startCompany(cleanUp, {
    ...plan,
    transport: 'socket',
    origin: 'https://localhost',
    tlsMembers: tlsMembers(cleanUp),
  });

const it = baseIt.extend('browser', { scope: 'file' }, ({ fileCleanUp }) => startBrowser(fileCleanUp));

describeWithPeers(['chromium'], 'a browser at a SAML identity provider', () => {
  it('signs in once, returns to the requested page, stays signed in over a restart of the agent, and signs out', async ({
    browser,
    cleanUp,
  }) => {
    const { stack, provider } = await startHttpsCompany(cleanUp);
    const origin = `https://localhost:${stack.port}`;
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    cleanUp.add(() => context.close());
    const page = await context.newPage();
    const posted: { readonly url: string; readonly body: string }[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') posted.push({ url: request.url(), body: request.postData() ?? '' });
    });

    await page.goto(`${origin}/app/orders?state=open&page=2`);
    await page.waitForURL(`${origin}/app/orders?state=open&page=2`);
    // Chromium requests the icon of a site by itself.
    const pages = stack.upstream.received.map(({ url }) => url).filter((url) => url !== '/favicon.ico');
    expect(pages).toEqual(['/app/orders?state=open&page=2']);
    expect(posted.map(({ url }) => url)).toEqual([`${origin}/saml/acs`]);
    const cookies = await context.cookies();
    expect(cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite }))).toEqual([
      { name: 'gateway_saml_session', httpOnly: true, secure: true, sameSite: 'Lax' },
    ]);

    // The form that the browser posted, a second time.
    const replayed = await context.request.post(`${origin}/saml/acs`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      data: posted[0]?.body ?? '',
      maxRedirects: 0,
    });
    expect([replayed.status(), replayed.headers()['location']]).toEqual([303, '/app/orders?state=open&page=2']);

    // The back button shows the identity provider's page, which posts again: from another site, so without the
    // cookies that have SameSite.
    await page.route(`${provider.origin}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Sign-on</title><body></body>' }),
    );
    await page.goto(`${provider.origin}/`);
    await page.evaluate(
      ([action, body]) => {
        const form = document.createElement('form');
        form.method = 'post';
        form.action = action ?? '';
        for (const [name, value] of new URLSearchParams(body)) {
          const field = document.createElement('input');
          [field.type, field.name, field.value] = ['hidden', name, value];
          form.append(field);
        }
        document.body.append(form);
        form.submit();
      },
      [`${origin}/saml/acs`, posted[0]?.body ?? ''],
    );
    await page.waitForURL(`${origin}/app/orders?state=open&page=2`);
    expect(await context.cookies()).toEqual(cookies);
    expect(posted.splice(1)).toHaveLength(1);

    await stack.agent().stop();
    stack.restartAgent();
    await stack.agentsPresent();
    await page.goto(`${origin}/app/after-restart`);
    expect(page.url()).toBe(`${origin}/app/after-restart`);
    expect(posted).toHaveLength(1);

    await page.goto(`${origin}/saml/logout`);
    await page.waitForURL(/\/saml\/logout/);
    expect(provider.signOuts).toEqual(['LogoutRequest']);
    expect(await context.cookies()).toEqual([]);
    await page.goto(`${origin}/app/again`);
    await page.waitForURL(`${origin}/app/again`);
    expect(posted).toHaveLength(2);
  });

  it('signs in at a provider with HTTP-POST only, by a page that submits itself or, without scripts, by its button', async ({
    browser,
    cleanUp,
  }) => {
    const { stack } = await startHttpsCompany(cleanUp, { provider: { postOnly: true, wantsSignedRequests: true } });
    const origin = `https://localhost:${stack.port}`;
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled });
      cleanUp.add(() => context.close());
      const page = await context.newPage();
      stack.upstream.received.splice(0);
      const messages: string[] = [];
      page.on('console', (message) => messages.push(message.text()));
      await page.goto(`${origin}/app/orders`);
      if (!javaScriptEnabled) {
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: 'Go on' }).click();
      }
      // The page that submits itself has the same URL, so only the upstream shows the end of the sign-on.
      await eventually(() => stack.upstream.received.some(({ url }) => url === '/app/orders'));
      expect((await context.cookies()).map(({ name }) => name)).toEqual(['gateway_saml_session']);
      expect(messages.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
    }
  });
});
