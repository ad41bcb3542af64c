import { describe, expect } from 'vitest';
import { choicesOf, type SentForm } from '../../../../support/agent/form-browser.js';
import { form, formCookie, formPlace, target, userCookie } from '../../../../support/agent/form-place.js';
import { portal, sessionCookie } from '../../../../support/agent/oidc-agent.js';
import { it } from '../../../../support/shared/fixtures.js';

const other = 'B'.repeat(43);

/** What differs from a form that is kept. */
const refused: Readonly<Record<string, SentForm>> = {
  'a page of another site': { headers: { 'sec-fetch-site': 'cross-site' } },
  'a page of the same site alone': { headers: { 'sec-fetch-site': 'same-site' } },
  'no page': { headers: { 'sec-fetch-site': 'none' } },
  'a browser without Sec-Fetch-Site': { headers: { 'sec-fetch-site': null } },
  'Sec-Fetch-Site twice': { headers: { 'sec-fetch-site': ['same-origin', 'same-origin'] } },
  'Sec-Fetch-Site as a list': { headers: { 'sec-fetch-site': 'same-origin, same-origin' } },
  'another origin': { headers: { origin: 'https://evil.example' } },
  'another port': { headers: { origin: `https://${portal}:444` } },
  'another scheme': { headers: { origin: `http://${portal}` } },
  'the origin null': { headers: { origin: 'null' } },
  'two origins': { headers: { origin: [`https://${portal}`, 'https://evil.example'] } },
  'a script': { headers: { 'sec-fetch-mode': 'cors' } },
  'a script that says so': { headers: { 'x-requested-with': 'XMLHttpRequest' } },
  'a form for a frame': { headers: { 'sec-fetch-dest': 'iframe' } },
  'a client that takes no page': { headers: { accept: 'application/json' } },
  'a client with a token': { headers: { authorization: 'Bearer x' } },
  multipart: { headers: { 'content-type': 'multipart/form-data; boundary=x' } },
  JSON: { headers: { 'content-type': 'application/json' } },
  'plain text': { headers: { 'content-type': 'text/plain' } },
  'no content type': { headers: { 'content-type': null } },
  'a parameter of the content type': {
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-16' },
  },
  'two content types': { headers: { 'content-type': ['application/x-www-form-urlencoded', 'text/plain'] } },
  'a compressed form': { headers: { 'content-encoding': 'gzip' } },
  'a length that is too large': { headers: { 'content-length': '65537' } },
  'octets that are too many': { body: 'x'.repeat(65_537), headers: { 'content-length': null }, chunk: 16_384 },
  'octets that no browser writes': { body: Buffer.from('a=\xff\x00', 'latin1') },
  'a line feed': { body: 'a=1\nb=2' },
  PUT: { method: 'PUT' },
  'a URL without its normal form': { uri: '/orders/%6eew' },
  'a URL that is too long': { uri: `/orders?x=${'a'.repeat(4_100)}` },
  'a foreign host': {
    headers: {
      host: 'portal.example.org',
      'x-forwarded-host': 'portal.example.org',
      origin: 'https://portal.example.org',
    },
  },
};

describe('a form is not kept', () => {
  it.for(Object.entries(refused))('if it differs: %s', async ([, sent], { cleanUp }) => {
    const { ended, logger } = await formPlace(cleanUp);
    const { forms } = await ended();
    const reply = await forms.send({ uri: target, body: form, ...sent });
    expect([reply.status, reply.upstream]).toEqual([401, null]);
    expect(reply.answer.responseHeaders.filter(({ name }) => name === 'Set-Cookie')).toEqual([]);
    expect(logger.lines.some(({ message }) => message.includes('is kept'))).toBe(false);
    expect(JSON.parse(reply.page)).toMatchObject({ code: 'unauthenticated' });
  });

  it('without the one cookie of an ended session', async ({ cleanUp }) => {
    const { ended, signOn, newBrowser, formsOf } = await formPlace(cleanUp);
    const { forms } = await ended();
    const id = forms.cookies.get(sessionCookie);
    const mark = forms.cookies.get(userCookie);
    for (const cookie of [
      '',
      `${userCookie}=${mark}`,
      `${sessionCookie}=${id}; ${sessionCookie}=${other}; ${userCookie}=${mark}`,
      `${sessionCookie}=${id}; ${sessionCookie}=${id}; ${userCookie}=${mark}`,
      `${sessionCookie}=${id}; ${sessionCookie}=x; ${userCookie}=${mark}`,
      `${sessionCookie}=${id}x; ${userCookie}=${mark}`,
      // An unknown session, and no user or several.
      `${sessionCookie}=${other}`,
      `${sessionCookie}=${other}; ${userCookie}=${mark}; ${userCookie}=${mark}`,
      `${sessionCookie}=${other}; ${userCookie}=ann`,
    ]) {
      expect([cookie, (await forms.post(target, form, { cookie })).status]).toEqual([cookie, 401]);
    }
    const active = newBrowser();
    await signOn(active);
    expect((await formsOf(active).post(target, form)).upstream).toBe(form);
  });

  it('at a path that needs no sign-on, nor without the key', async ({ cleanUp }) => {
    const open = await formPlace(cleanUp, {}, { 'protected-paths': ['/orders'], 'excluded-paths': ['/orders/open'] });
    const { forms } = await open.ended();
    for (const uri of ['/', '/orders/open']) expect((await forms.post(uri, form)).status).toBe(401);
    expect((await forms.post(target, form)).status).toBe(303);
    const off = await formPlace(cleanUp, { 'keep-posted-forms': false });
    const without = await off.ended();
    expect((await without.forms.post(target, form)).status).toBe(401);
    expect([...without.forms.cookies.keys()]).toEqual([sessionCookie]);
  });

  it('for a user that the cookie alone claims: the form is for nobody', async ({ cleanUp }) => {
    const { newBrowser, formsOf, provider } = await formPlace(cleanUp);
    const browser = newBrowser();
    const forms = formsOf(browser);
    forms.cookies.set(sessionCookie, other);
    forms.cookies.set(userCookie, 'ab'.repeat(32));
    const { location } = await forms.post(target, form);
    await browser.callback(provider.authorize(location ?? ''));
    expect((await forms.get(target)).upstream).toBe('');
  });

  it('if the sign-on cannot begin', async ({ cleanUp }) => {
    const { newBrowser, formsOf } = await formPlace(cleanUp, {}, { issuer: 'http://127.0.0.1:9' });
    const forms = formsOf(newBrowser());
    forms.cookies.set(sessionCookie, other);
    forms.cookies.set(userCookie, 'ab'.repeat(32));
    expect((await forms.post(target, form)).status).toBe(401);
  });

  it('if one address group posts more than a hundred in ten minutes; others still can', async ({ cleanUp }) => {
    const { newBrowser, formsOf } = await formPlace(cleanUp);
    const forms = formsOf(newBrowser());
    const cookie = `${sessionCookie}=${other}; ${userCookie}=${'ab'.repeat(32)}`;
    const post = (clientIp: string) => forms.post(target, 'a=1', { cookie, clientIp }).then(({ status }) => status);
    const statuses: number[] = [];
    for (let index = 0; index < 101; index += 1) statuses.push(await post('192.0.2.8'));
    expect(statuses).toEqual([...Array.from({ length: 100 }, () => 303), 401]);
    expect(await post('198.51.100.1')).toBe(303);
  });

  it('beyond a thousand: the oldest is evicted', async ({ cleanUp }) => {
    const { kept, newBrowser, formsOf, provider } = await formPlace(cleanUp, { store: 'memory', path: null });
    const { browser, forms, location } = await kept();
    const others = formsOf(newBrowser());
    const cookie = `${sessionCookie}=${other}; ${userCookie}=${'ab'.repeat(32)}`;
    for (let index = 0; index < 1_000; index += 1) {
      const { status } = await others.post('/x', 'a=1', { cookie, clientIp: `198.51.${index % 100}.1` });
      expect(status).toBe(303);
    }
    await browser.callback(provider.authorize(location));
    expect((await forms.get(target)).upstream).toBe('');
  });
});

describe('a confirmation', () => {
  it('is a page that no other site can frame, script or post', async ({ cleanUp }) => {
    const { asked } = await formPlace(cleanUp);
    const { forms, page, choices } = await asked();
    const { decision, responseHeaders } = page.answer;
    expect(decision.kind === 'block' ? decision.headers : []).toEqual([
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Security-Policy',
      "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action https:",
      'X-Content-Type-Options',
      'nosniff',
      'Referrer-Policy',
      'same-origin',
    ]);
    expect(responseHeaders).toContainEqual({ kind: 'set', name: 'Cache-Control', value: 'no-store' });
    expect(page.page).not.toMatch(/<script|style|src=|action=/);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': null },
      { origin: 'null' },
      { 'content-type': 'text/plain' },
    ]) {
      expect((await forms.post(target, choices.send, { headers })).upstream).not.toBe(form);
    }
    // None of them has spent the form.
    expect((await forms.post(target, choices.send)).upstream).toBe(form);
  });

  it('escapes what the URL holds, and stays below 8 KiB', async ({ cleanUp }) => {
    const { ended, provider } = await formPlace(cleanUp);
    const { browser, forms } = await ended();
    const uri = `/a&b'(c)/${'&'.repeat(3_000)}?q=%3Cb%3E&x='"`.replace('"', '');
    const { status, location } = await forms.post(uri, form);
    expect(status).toBe(303);
    await browser.callback(provider.authorize(location ?? ''));
    const { page } = await forms.get(uri);
    expect(page).toContain('<dd>/a&amp;b');
    expect(page).not.toContain('q=');
    expect(page.length).toBeLessThan(8 * 1024);
    expect((await forms.post(uri, choicesOf({ page }).send)).upstream).toBe(form);
  });

  it('is refused while the store fails, and the form is not lost', async ({ cleanUp }) => {
    const { asked, folder } = await formPlace(cleanUp);
    const { forms, choices } = await asked();
    folder.remove();
    const reply = await forms.post(target, choices.send);
    expect([reply.status, reply.upstream]).toEqual([503, null]);
    expect(forms.cookies.has(formCookie)).toBe(true);
  });
});

describe('hosts under cookie-domain', () => {
  it('keep the form at the host to which it was posted', async ({ cleanUp }) => {
    const { signOn, newBrowser, formsOf, provider, clock } = await formPlace(cleanUp, {
      'cookie-domain': 'example.com',
      'cookie-name': '__Secure-s',
    });
    const browser = newBrowser();
    await signOn(browser);
    clock.advance(60_000);
    const forms = formsOf(browser, 'shop.example.com');
    const begun = await forms.post(target, form);
    expect([begun.status, begun.location]).toEqual([
      303,
      `https://${portal}/oidc/login?provider=corp&return_to=${encodeURIComponent(`https://shop.example.com${target}`)}`,
    ]);
    const asked = await browser.get((begun.location ?? '').slice(`https://${portal}`.length));
    const completed = await browser.callback(provider.authorize(asked.location ?? ''));
    expect(completed.location).toBe(`https://shop.example.com${target}`);
    expect((await formsOf(browser).get(target)).upstream).toBe('');
    const page = await forms.get(target);
    expect(page.page).toContain('<dd>shop.example.com</dd>');
    expect((await forms.post(target, choicesOf(page).send)).upstream).toBe(form);
  });
});
