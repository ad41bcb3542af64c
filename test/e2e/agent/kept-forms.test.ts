import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { startLoginCompany } from '../../support/agent/login-company.js';
import { startCompany } from '../../support/agent/saml-company.js';
import { startBrowser, tlsMembers } from '../../support/shared/browser.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import type { GatewayStack } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const it = baseIt.extend('browser', { scope: 'file' }, ({ fileCleanUp }) => startBrowser(fileCleanUp));

const adminToken = 'the-token-of-the-operator-0123456789';
const target = '/app/orders?list=a%2Fb&list=c';
const form = `<!doctype html><title>New order</title><form method="post" action="${target.replace('&', '&amp;')}">
<input name="item"><input name="item" value="zwei &amp; mehr"><input name="" value="nameless"><textarea name="note"></textarea>
<input type="checkbox" name="express" checked><button name="do" value="order">Order</button></form>`;
/** What Chromium posts after the user has filled in the form: the nameless field is not part of it. */
const posted = 'item=%C3%A4+%F0%9F%98%80&item=zwei+%26+mehr&note=one%0D%0Atwo+%25&express=on&do=order';

interface Received {
  readonly url: string;
  readonly body: string;
  readonly user: string | undefined;
}

/** An upstream with a form; the forms that it gets. */
const formUpstream = ({ upstream }: GatewayStack, onwards?: string): readonly Received[] => {
  const received: Received[] = [];
  upstream.answer = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') {
        response.setHeader('content-type', 'text/html; charset=utf-8');
        return response.end(request.url?.startsWith('/app/form') === true ? form : '<!doctype html><title>ok</title>');
      }
      const user = request.headers['x-user-id']?.toString();
      received.push({ url: request.url ?? '', body: Buffer.concat(chunks).toString(), user });
      if (onwards !== undefined) response.writeHead(303, { location: onwards });
      return response.end('ordered');
    });
  };
  return received;
};

/** Ends all sessions, as an operator does. */
const endSessions = async ({ adminPort }: GatewayStack): Promise<void> => {
  const headers = { authorization: `Bearer ${adminToken}` };
  const { body } = await call(adminPort, { path: '/admin/sessions', headers });
  const { sessions } = JSON.parse(body) as { readonly sessions: readonly { readonly id: string }[] };
  expect(sessions.length).toBeGreaterThan(0);
  for (const { id } of sessions) await call(adminPort, { path: `/admin/sessions/${id}`, method: 'DELETE', headers });
};

const open = async (context: BrowserContext, cleanUp: CleanUp): Promise<Page> => {
  cleanUp.add(() => context.close());
  return context.newPage();
};

/** Fills in the form, after which the session ends, and posts it. */
const postLate = async (page: Page, stack: GatewayStack, origin: string): Promise<void> => {
  await page.goto(`${origin}/app/form?draft=1`);
  await page.waitForURL(`${origin}/app/form?draft=1`);
  await page.locator('input[name=item]').first().fill('ä 😀');
  await page.locator('textarea').fill('one\ntwo %');
  await endSessions(stack);
  await page.getByRole('button', { name: 'Order' }).click();
  await page.waitForURL(origin + target);
};

describeWithPeers(['chromium'], 'a browser that posts a form after its session has ended', () => {
  it('signs in at oidc-provider and has it sent again once, over two workers', async ({ browser, cleanUp }) => {
    const { stack } = await startLoginCompany(cleanUp, {
      transport: 'embedded',
      workers: 2,
      adminToken,
      origin: 'https://localhost',
      listenerMembers: tlsMembers(cleanUp),
      store: 'store "memory"',
      sessions: 'keep-posted-forms #true',
    });
    const origin = `https://localhost:${stack.port}`;
    // After it, the upstream leads to another site.
    const received = formUpstream(stack, `https://127.0.0.1:${stack.port}/health`);
    const page = await open(await browser.newContext({ ignoreHTTPSErrors: true }), cleanUp);
    await postLate(page, stack, origin);
    expect(received).toEqual([]);
    const text = await page.locator('body').textContent();
    expect(text).toContain(`localhost:${stack.port}`);
    expect(text).toContain('/app/orders');
    expect(await page.content()).not.toMatch(/zwei|draft|note|list=/);
    await page.reload();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.waitForURL(`https://127.0.0.1:${stack.port}/health`);
    expect(received).toEqual([{ url: target, body: posted, user: 'ann' }]);
    const cookies = (await page.context().cookies(origin)).map(({ name, httpOnly, secure, sameSite }) => [
      name,
      httpOnly && secure && sameSite,
    ]);
    expect(cookies.toSorted()).toEqual([
      ['__Host-portcullis_session', 'Lax'],
      ['__Host-portcullis_session_user', 'Lax'],
    ]);
    // Back at its URL, the page of the upstream is there.
    await page.goto(origin + target);
    expect(await page.title()).toBe('ok');
    expect(received).toHaveLength(1);
  });

  it('can go on without it', async ({ browser, cleanUp }) => {
    const { stack } = await startLoginCompany(cleanUp, {
      transport: 'embedded',
      adminToken,
      origin: 'https://localhost',
      listenerMembers: tlsMembers(cleanUp),
      members: 'response-mode "form_post"',
      sessions: 'keep-posted-forms #true; cookie-same-site "Strict"',
    });
    const origin = `https://localhost:${stack.port}`;
    const received = formUpstream(stack);
    const page = await open(await browser.newContext({ ignoreHTTPSErrors: true }), cleanUp);
    await postLate(page, stack, origin);
    await page.getByRole('button', { name: 'Go on without sending' }).click();
    await page.waitForURL(`${origin}/app/form?draft=1`);
    await page.goto(origin + target);
    expect(await page.title()).toBe('ok');
    expect(received).toEqual([]);
  });

  it('signs in at a SAML identity provider and has it sent again', async ({ browser, cleanUp }) => {
    const { stack } = await startCompany(cleanUp, {
      transport: 'embedded',
      adminToken,
      origin: 'https://localhost',
      tlsMembers: tlsMembers(cleanUp),
      sessions: 'keep-posted-forms #true',
    });
    const origin = `https://localhost:${stack.port}`;
    const received = formUpstream(stack);
    const page = await open(await browser.newContext({ ignoreHTTPSErrors: true }), cleanUp);
    await postLate(page, stack, origin);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.waitForFunction(() => document.body.textContent === 'ordered');
    expect(received.map(({ url, body }) => ({ url, body }))).toEqual([{ url: target, body: posted }]);
  });
});

/** What Chromium sends with a form of the own origin. */
const formHead = (origin: string, body: string) => ({
  accept: 'text/html',
  origin,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'content-type': 'application/x-www-form-urlencoded',
  'content-length': String(Buffer.byteLength(body)),
});

describe('a kept form', () => {
  baseIt('is sent once, whatever connection and worker gets the confirmation', async ({ cleanUp }) => {
    const { stack, provider } = await startLoginCompany(cleanUp, {
      transport: 'socket',
      workers: 2,
      sessions: 'keep-posted-forms #true; idle-secs 1',
    });
    const received = formUpstream(stack);
    const origin = `http://127.0.0.1:${stack.port}`;
    const cookies = new Map<string, string>();
    const ask = async (method: string, path: string, headers: Readonly<Record<string, string>>, body = '') => {
      const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
      const answer = await stack.ask({
        method,
        path,
        headers: { ...headers, cookie, host: `127.0.0.1:${stack.port}` },
        body,
      });
      for (const set of answer.headers['set-cookie'] ?? []) {
        const [pair = ''] = set.split(';');
        const [name = '', value = ''] = pair.split('=');
        if (set.includes('Max-Age=0')) cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    };
    const visit = (path: string) => ask('GET', path, { accept: 'text/html', 'sec-fetch-mode': 'navigate' });
    const pathOf = (url = '') => url.replace(/^https?:\/\/[^/]+/, '');
    const signOn = async (location = '') => visit(pathOf(await provider.authorize(location)));
    await signOn((await visit('/app/form')).headers.location);
    const long = `a=${'x'.repeat(60_000)}&b=`;
    const post = (body: string) => ask('POST', target, formHead(origin, body), body);
    // While the session is active, the upstream gets the form.
    await expect.poll(async () => (await post(long)).status, { interval: 1_100, timeout: 15_000 }).toBe(303);
    const before = received.length;
    const again = await post(long);
    expect(again.status).toBe(303);
    await signOn(again.headers.location);
    const page = await visit(target);
    const [, send = ''] = /value="(send-[0-9a-f]{64})"/.exec(page.body) ?? [];
    const confirmation = `portcullis-form=${send}`;
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => post(confirmation)))).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([200, 403, 403, 403, 403, 403]);
    expect(received.slice(before).map(({ body }) => body)).toEqual([long]);
  });
});
