import { createServer } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { SamlBrowser } from '../../support/agent/saml-browser.js';
import { type SamlCompany, startCompany } from '../../support/agent/saml-company.js';
import { startBrowser } from '../../support/shared/browser.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it as baseIt } from '../../support/shared/fixtures.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers } from '../../support/shared/peers.js';

const sessionCookie = 'gateway_saml_session';

/** A page of `https://spa.example` may change something. */
const start = (cleanUp: CleanUp, transport: 'embedded' | 'socket', workers?: number): Promise<SamlCompany> =>
  startCompany(cleanUp, {
    transport,
    listenerMembers: 'http2 #true',
    sessions: 'allow-origins "https://spa.example"; idle-secs 3600',
    ...(workers !== undefined && { workers }),
  });

const it = baseIt
  .extend('browser', { scope: 'file' }, ({ fileCleanUp }) => startBrowser(fileCleanUp))
  .extend('embedded', { scope: 'file' }, ({ fileCleanUp }) => start(fileCleanUp, 'embedded', 2))
  .extend('socket', { scope: 'file' }, ({ fileCleanUp }) => start(fileCleanUp, 'socket'));

const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
};

describe.each(['embedded', 'socket'] as const)('a request by session cookie, agent %s', (transport) => {
  const signedOn = async ({ stack }: SamlCompany) => {
    const browser = new SamlBrowser(stack.port);
    await browser.signOn('/app');
    const cookie = `${sessionCookie}=${browser.cookie(sessionCookie)}`;
    stack.upstream.received.splice(0);
    return { stack, cookie, own: `http://127.0.0.1:${stack.port}` };
  };

  it('changes nothing for a page of another site, whatever it claims', async ({ embedded, socket }) => {
    const { stack, cookie, own } = await signedOn(transport === 'embedded' ? embedded : socket);
    const refused: readonly Readonly<Record<string, string>>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `https://127.0.0.1:${stack.port}` },
      { origin: 'http://127.0.0.1' },
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
      { origin: 'https://evil.example', forwarded: 'host=evil.example;proto=https' },
    ];
    for (const headers of refused) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await call(stack.port, { path: '/app/x', method, headers: { cookie, ...headers } });
        expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('"code":"cross_site_request"')]);
      }
    }
    expect(stack.upstream.received).toEqual([]);
    for (const headers of [{ origin: own }, { origin: 'https://spa.example' }, {}]) {
      const answer = await call(stack.port, { path: '/app/x', method: 'POST', headers: { cookie, ...headers } });
      expect(answer.status).toBe(200);
    }
    const read = await call(stack.port, { path: '/app/x', headers: { cookie, origin: 'https://evil.example' } });
    expect(read.status).toBe(200);
    expect(stack.upstream.received).toHaveLength(4);
  });

  it('changes nothing for a page of another site over HTTP/2', async ({ embedded, socket, cleanUp }) => {
    const { stack, cookie, own } = await signedOn(transport === 'embedded' ? embedded : socket);
    const session = connect(own);
    cleanUp.add(() => session.destroy());
    const post = (origin: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':method': 'POST', ':path': '/app/x', cookie, origin });
        stream.on('error', reject).on('response', (headers) => resolve(headers[':status'] ?? 0));
        stream.resume().end();
      });
    expect([await post('https://evil.example'), await post(own)]).toEqual([403, 200]);
    expect(stack.upstream.received).toHaveLength(1);
  });

  it('opens no WebSocket for a page of another site', async ({ embedded, socket }) => {
    const { stack, cookie, own } = await signedOn(transport === 'embedded' ? embedded : socket);
    const open = (origin: string) => call(stack.port, { path: '/app/live', headers: { cookie, origin, ...handshake } });
    expect((await open('https://evil.example')).status).toBe(403);
    expect(stack.upstream.received).toEqual([]);
    // The upstream speaks no WebSocket; it has been asked.
    expect((await open(own)).status).not.toBe(403);
    expect(stack.upstream.received).toHaveLength(1);
  });

  it('does not count if the cookie is there twice', async ({ embedded, socket }) => {
    const { stack, cookie } = await signedOn(transport === 'embedded' ? embedded : socket);
    for (const twice of [`${cookie}; ${cookie}`, `${cookie}; ${sessionCookie}=${'A'.repeat(43)}`]) {
      expect((await call(stack.port, { path: '/app/x', headers: { cookie: twice } })).status).toBe(401);
    }
    expect(stack.upstream.received).toEqual([]);
  });
});

describeWithPeers(['chromium'], 'a page of another origin in a browser with a session', () => {
  it('cannot change anything, though the browser sends it the cookie', async ({ browser, embedded, cleanUp }) => {
    const { stack } = embedded;
    const evil = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Another page</title>');
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    cleanUp.add(() => evil.close());
    const elsewhere = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
    const own = `http://127.0.0.1:${stack.port}`;

    const signing = new SamlBrowser(stack.port);
    await signing.signOn('/app');
    const context = await browser.newContext();
    cleanUp.add(() => context.close());
    const value = signing.cookie(sessionCookie) ?? '';
    // Hosts of one name are one site, whatever their ports: SameSite=Lax does not hold the cookie back.
    await context.addCookies([{ name: sessionCookie, value, url: own, sameSite: 'Lax', httpOnly: true }]);
    stack.upstream.received.splice(0);

    const page = await context.newPage();
    await page.goto(elsewhere);
    const answers: number[] = [];
    page.on('response', (response) => {
      if (response.url().startsWith(own)) answers.push(response.status());
    });
    await page.evaluate(
      (url) =>
        fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body: 'amount=1' }).then(() => null),
      `${own}/app/pay`,
    );
    expect(answers).toEqual([403]);
    const opened = await page.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(url);
          socket.onopen = () => resolve('open');
          socket.onerror = () => resolve('refused');
        }),
      `ws://127.0.0.1:${stack.port}/app/live`,
    );
    expect(opened).toBe('refused');
    expect(stack.upstream.received).toEqual([]);

    await page.goto(`${own}/app/page`);
    const status = await page.evaluate(() =>
      fetch('/app/pay', { method: 'POST', body: 'amount=1' }).then((response) => response.status),
    );
    expect(status).toBe(200);
    expect(stack.upstream.received.map(({ url }) => url).filter((url) => url === '/app/pay')).toHaveLength(1);
  });
});
