import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SamlCompany, startCompany } from '../support/agent/saml-company.js';
import { selfSignedCertificate } from '../support/agent/self-signed-certificate.js';
import { rsaPair } from '../support/agent/test-tokens.js';
import { CleanUp } from '../support/shared/clean-up.js';
import { call } from '../support/shared/http-call.js';
import { peerPath } from '../support/shared/peers.js';
import { temporaryFolder } from '../support/shared/temporary-folder.js';

const programs = ['chromium-headless-shell', 'chromium', 'google-chrome'] as const;

/** A certificate and its key for the listener, as members of it. */
const tlsMembers = (cleanUp: CleanUp): string => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const pair = rsaPair();
  const der = selfSignedCertificate(pair, 'localhost').toString('base64');
  const certificate = folder.write(
    'tls.crt',
    `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  );
  const key = folder.write('tls.key', pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string);
  return `protocol "https"; tls { cert-file "${certificate}"; key-file "${key}" }`;
};

const cleanUp = new CleanUp();
let browser: Browser;
let company: SamlCompany;
let origin: string;
beforeAll(async () => {
  const program = programs.map(peerPath).find((path) => path !== null);
  if (program === undefined) throw new Error(`install one of ${programs.join(', ')} (Debian: chromium-headless-shell)`);
  // Its own sandbox needs a user that is not root, or rights that containers seldom give; the pages are ours.
  browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] });
  cleanUp.add(() => browser.close());
  company = await startCompany(cleanUp, {
    transport: 'socket',
    origin: 'https://localhost',
    listenerMembers: tlsMembers(cleanUp),
  });
  const { stack, provider } = company;
  origin = `https://localhost:${stack.port}`;
  const { body } = await call(stack.port, { path: '/saml/metadata', tls: { rejectUnauthorized: false } });
  provider.trust(body);
});
afterAll(() => cleanUp.run());

it('a browser signs in once, comes back to the page it asked for, stays signed in over a restart, and signs out', async () => {
  const { stack, provider } = company;
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  const posted: { readonly url: string; readonly body: string }[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posted.push({ url: request.url(), body: request.postData() ?? '' });
  });

  await page.goto(`${origin}/app/orders?state=open&page=2`);
  await page.waitForURL(`${origin}/app/orders?state=open&page=2`);
  expect(stack.upstream.received.map(({ url }) => url)).toEqual(['/app/orders?state=open&page=2']);
  expect(posted.map(({ url }) => url)).toEqual([`${origin}/saml/acs`]);
  const cookies = await context.cookies();
  expect(cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite }))).toEqual([
    { name: 'gateway_saml_session', httpOnly: true, secure: true, sameSite: 'Lax' },
  ]);

  // The very form that the browser posted, once more.
  const replayed = await context.request.post(`${origin}/saml/acs`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    data: posted[0]?.body ?? '',
    maxRedirects: 0,
  });
  expect([replayed.status(), replayed.headers()['location']]).toEqual([303, '/app/orders?state=open&page=2']);

  // As the page of the identity provider posts it that the back button shows: without the cookies that are SameSite.
  await page.goto(provider.origin);
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
  await context.close();
});

it('a browser goes to a provider that takes forms alone by a page that posts by itself, and by its button without scripts', async () => {
  const { stack, provider } = await startCompany(cleanUp, {
    transport: 'socket',
    origin: 'https://localhost',
    listenerMembers: tlsMembers(cleanUp),
    provider: { postOnly: true, wantsSignedRequests: true },
  });
  const here = `https://localhost:${stack.port}`;
  provider.trust((await call(stack.port, { path: '/saml/metadata', tls: { rejectUnauthorized: false } })).body);
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, javaScriptEnabled });
    const page = await context.newPage();
    const refused: string[] = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(`${here}/app/orders`);
    if (!javaScriptEnabled) {
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Go on' }).click();
    }
    await page.waitForURL(`${here}/app/orders`);
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['gateway_saml_session']);
    expect(refused.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
    await context.close();
  }
});
