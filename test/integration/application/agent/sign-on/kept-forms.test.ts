import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { choicesOf } from '../../../../support/agent/form-browser.js';
import {
  form as body,
  formCookie,
  formPlace as place,
  target,
  userCookie,
} from '../../../../support/agent/form-place.js';
import { loginConfig, portal, sessionCookie } from '../../../../support/agent/oidc-agent.js';
import { it } from '../../../../support/shared/fixtures.js';

describe('a form posted after the session has ended', () => {
  it('is sent again, octet by octet and once, after a sign-on and a confirmation', async ({ cleanUp }) => {
    const { asked, logger } = await place(cleanUp);
    const { browser, forms, page, choices } = await asked();
    expect(page.status).toBe(200);
    expect(page.page).toContain(`<dd>${portal}</dd>`);
    expect(page.page).toContain('<dd>/orders/new</dd>');
    expect(page.page).not.toMatch(/geheim|item|list=|%C3/);
    // Shown as often as the page is loaded: nothing is spent yet.
    expect(choicesOf(await forms.get(target))).toEqual(choices);
    const sent = await forms.post(target, choices.send);
    expect([sent.status, sent.upstream]).toEqual([200, body]);
    const upstreamCookies = sent.answer.requestHeaders.filter(({ name }) => name === 'Cookie');
    expect(upstreamCookies).toEqual([{ kind: 'remove', name: 'Cookie' }]);
    expect([...browser.cookies.keys()].toSorted()).toEqual([sessionCookie, userCookie]);
    for (const text of ['geheim', 'item', 'portcullis-form', ...browser.cookies.values()]) {
      expect(JSON.stringify(logger.lines)).not.toContain(text);
    }
    expect((await forms.get(target)).upstream).toBe('');
  });

  it('is sent once when the confirmation is posted again, also at the same moment', async ({ cleanUp }) => {
    const { asked } = await place(cleanUp);
    const { browser, forms, choices } = await asked();
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => forms.post(target, choices.send, { cookie, chunk: 7 })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 403)]);
    expect(replies.flatMap(({ upstream }) => upstream ?? [])).toEqual([body]);
    const late = await forms.post(target, choices.send, { cookie });
    expect([late.status, late.upstream]).toEqual([403, null]);
    expect(late.page).toContain('not kept any more');
  });

  it('is discarded if the user goes on without it', async ({ cleanUp }) => {
    const { asked } = await place(cleanUp);
    const { forms, choices } = await asked();
    const dropped = await forms.post(target, choices.drop);
    expect([dropped.status, dropped.location, dropped.upstream]).toEqual([303, '/forms/new?draft=1', null]);
    expect(forms.cookies.has(formCookie)).toBe(false);
    expect((await forms.get(target)).upstream).toBe('');
  });

  it.for([1, 7, 65_536])('may be empty or long, and come in chunks of %i octets', async (chunk, { cleanUp }) => {
    const { ended, provider } = await place(cleanUp);
    for (const form of ['', chunk === 1 ? 'a=1' : `a=${'x'.repeat(65_534)}`]) {
      const { browser, forms } = await ended();
      const { status, location } = await forms.post('/orders', form, { chunk });
      expect(status).toBe(303);
      await browser.callback(provider.authorize(location ?? ''));
      const { send } = choicesOf(await forms.get('/orders'));
      expect((await forms.post('/orders', send, { chunk: 5 })).upstream).toBe(form);
    }
  });

  it('waits while the user chooses a way to sign on', async ({ cleanUp }) => {
    const { newBrowser, formsOf, provider, clock } = await place(cleanUp, {}, (at) => [
      loginConfig(at),
      loginConfig(at, { name: 'partner' }),
    ]);
    const choose = '/oidc/login?provider=partner&return_to=';
    const browser = newBrowser();
    const signOn = async (returnTo: string) => {
      const { location } = await browser.get(choose + encodeURIComponent(returnTo));
      return browser.callback(provider.authorize(location ?? ''), '/oidc/callback/partner');
    };
    expect((await signOn('/')).status).toBe(302);
    clock.advance(60_000);
    const forms = formsOf(browser);
    const { status, location } = await forms.post(target, body);
    expect([status, location]).toEqual([303, `/oidc/login?return_to=${encodeURIComponent(target)}`]);
    expect((await signOn(target)).location).toBe(target);
    expect((await forms.post(target, choicesOf(await forms.get(target)).send)).upstream).toBe(body);
  });

  it('may have no declared length', async ({ cleanUp }) => {
    const { ended } = await place(cleanUp);
    const { forms } = await ended();
    const headers = { 'content-length': null, 'transfer-encoding': 'chunked' };
    expect((await forms.post(target, body, { headers, chunk: 10 })).status).toBe(303);
    const long = await forms.post(target, `a=${'x'.repeat(65_535)}`, { headers, chunk: 8_192 });
    expect([long.status, long.upstream]).toEqual([401, null]);
  });

  it('is kept after a logout by the provider and for an unknown session, as far as its user is known', async ({
    cleanUp,
  }) => {
    const { signOn, newBrowser, formsOf, agent, provider } = await place(cleanUp);
    const browser = newBrowser();
    await signOn(browser);
    const administration = agent.sessions();
    const listed = await administration?.list({ userId: 'ann', limit: 9, after: null });
    for (const { id } of listed?.ok === true ? listed.value.sessions : []) await administration?.revoke(id, 'ticket-1');
    const forms = formsOf(browser);
    const { status, location } = await forms.post(target, body);
    expect(status).toBe(303);
    await browser.callback(provider.authorize(location ?? ''));
    expect((await forms.post(target, choicesOf(await forms.get(target)).send)).upstream).toBe(body);
    // Nobody knows whose session this was.
    const stranger = formsOf(newBrowser());
    stranger.cookies.set(sessionCookie, 'A'.repeat(43));
    expect((await stranger.post(target, body)).status).toBe(401);
  });
});

describe('a kept form', () => {
  it('is for its user alone: it is discarded when another user signs on', async ({ cleanUp }) => {
    const { kept, provider, logger } = await place(cleanUp);
    const { browser, forms, location } = await kept();
    const secret = forms.cookies.get(formCookie) ?? '';
    provider.user = { ...provider.user, sub: 'bob', email: 'bob@example.com' };
    await browser.callback(provider.authorize(location));
    const page = await forms.get(target);
    expect([page.status, page.upstream, page.page]).toEqual([200, '', '']);
    expect(forms.cookies.has(formCookie)).toBe(false);
    expect(logger.lines.some(({ message }) => message.includes('another user signed on'))).toBe(true);
    // Nor does its user get it any more.
    provider.user = { ...provider.user, sub: 'ann', email: 'ann@example.com' };
    await browser.get('/oidc/logout');
    await browser.callback(provider.authorize(await browser.begin(target)));
    forms.cookies.set(formCookie, secret);
    expect((await forms.get(target)).upstream).toBe('');
  });

  it('does not open for another browser of the same user', async ({ cleanUp }) => {
    const { asked, newBrowser, signOn, formsOf } = await place(cleanUp);
    const { forms, choices } = await asked();
    const other = newBrowser();
    await signOn(other);
    const strange = formsOf(other);
    expect((await strange.get(target)).upstream).toBe('');
    // Without the cookie the choice is a form like any other.
    expect((await strange.post(target, choices.send)).upstream).toBe(choices.send);
    strange.cookies.set(formCookie, 'B'.repeat(43));
    expect((await strange.post(target, choices.send)).upstream).toBe(choices.send);
    expect((await forms.post(target, choices.send)).upstream).toBe(body);
  });

  it('ends after ten minutes', async ({ cleanUp }) => {
    const { kept, provider, clock } = await place(cleanUp);
    const { browser, forms } = await kept();
    clock.advance(599_000);
    await browser.callback(provider.authorize(await browser.begin(target)));
    const { send } = choicesOf(await forms.get(target));
    clock.advance(1_000);
    const late = await forms.post(target, send);
    expect([late.status, late.upstream]).toEqual([403, null]);
    expect((await forms.get(target)).upstream).toBe('');
  });

  it('is one for a browser: a later one replaces it, also in the store', async ({ cleanUp }) => {
    const { kept, provider } = await place(cleanUp);
    const { browser, forms } = await kept();
    const first = forms.cookies.get(formCookie) ?? '';
    const { location } = await forms.post('/orders/other', 'b=2');
    await browser.callback(provider.authorize(location ?? ''));
    expect((await forms.get(target)).upstream).toBe('');
    const second = forms.cookies.get(formCookie) ?? '';
    expect(second).not.toBe(first);
    forms.cookies.set(formCookie, first);
    expect((await forms.get(target)).upstream).toBe('');
    forms.cookies.set(formCookie, second);
    expect((await forms.post('/orders/other', choicesOf(await forms.get('/orders/other')).send)).upstream).toBe('b=2');
  });

  it('is sent to its URL alone', async ({ cleanUp }) => {
    const { asked } = await place(cleanUp);
    const { forms, choices } = await asked();
    for (const uri of ['/orders/new', '/orders/new?list=a%2Fb&list=d', '/other']) {
      expect((await forms.get(uri)).upstream).toBe('');
    }
    const elsewhere = await forms.post('/other', choices.send);
    expect([elsewhere.status, elsewhere.upstream]).toEqual([403, null]);
  });

  it('leaves other requests of the browser alone', async ({ cleanUp }) => {
    const { asked } = await place(cleanUp);
    const { forms, choices } = await asked();
    const like = choices.send.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const chunk of [1, 30, 200]) {
      expect((await forms.post(target, like, { chunk })).upstream).toBe(like);
      expect((await forms.post(target, body, { chunk })).upstream).toBe(body);
    }
    const script = { headers: { 'sec-fetch-mode': 'cors', accept: '*/*' } };
    expect((await forms.get(target, script)).upstream).toBe('');
    expect((await forms.post(target, choices.send, { headers: { 'sec-fetch-site': 'cross-site' } })).upstream).not.toBe(
      body,
    );
    expect((await forms.post(target, choices.send)).upstream).toBe(body);
  });

  it('is encrypted in the store, with a key that the store does not hold', async ({ cleanUp }) => {
    const { kept, folder } = await place(cleanUp);
    const { forms } = await kept();
    const stored = ['', '-wal'].map((end) => readFileSync(`${folder.file('s/sessions.db')}${end}`, 'latin1')).join('');
    expect(stored).toContain('kept_forms');
    const secret = forms.cookies.get(formCookie) ?? '';
    expect(secret).toMatch(/^[\w-]{43}$/);
    for (const text of ['geheim', '%C3%A4', secret]) expect(stored).not.toContain(text);
  });
});
