import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { AgentBrowser, judgeOf, samlConfig } from '../../../../support/agent/saml-agent.js';
import { signedResponse } from '../../../../support/agent/saml-documents.js';
import { idpKey } from '../../../../support/agent/saml-keys.js';
import { startedTestAgent } from '../../../../support/agent/test-agent.js';
import { openTransport } from '../../../../support/shared/agent-transports.js';
import type { CleanUp } from '../../../../support/shared/clean-up.js';
import { it } from '../../../../support/shared/fixtures.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { temporaryFolder } from '../../../../support/shared/temporary-folder.js';

/** Starts agents with single sign-on, one after another, that share a store. */
const place = (cleanUp: CleanUp) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const clock = new ManualClock();
  const certificateFile = folder.write('idp.pem', idpKey().certificatePem);
  const store = folder.file('s/sessions.db');
  const start = async (config: JsonObject, saml: JsonObject = {}) => {
    const made = await startedTestAgent(samlConfig(certificateFile, saml, config), { clock });
    const opened = await openTransport('embedded', made.agent, { config: null });
    opened.client.start();
    await opened.ready();
    let isStopped = false;
    const stop = async () => {
      if (isStopped) return;
      isStopped = true;
      await opened.close();
      await made.agent.stop();
    };
    cleanUp.add(stop);
    const browser = () => new AgentBrowser(judgeOf(opened.client));
    const signedOn = async (id: string) => {
      const signing = browser();
      const { id: inResponseTo, relayState } = await signing.begin();
      await signing.respond(signedResponse({ nowMs: clock.wallMs(), inResponseTo, assertion: { id } }), relayState);
      return signing;
    };
    return { ...made, stop, browser, signedOn };
  };
  return { clock, start, sessions: (more: JsonObject = {}) => ({ sessions: { path: store, ...more } }), store };
};

const api = ['accept', 'application/json'];

describe('sessions of the block sessions', () => {
  it('keep those that saml began, in the same file and under the same cookie', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const before = await here.start({}, { 'session-store-path': here.store });
    const { cookies } = await before.signedOn('_a1');
    await before.stop();
    const after = await here.start(here.sessions());
    const browser = after.browser();
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.get('/orders', api)).status).toBe(200);
  });

  it('end by idle time and at their lifetime, whatever the use', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start(here.sessions({ 'ttl-secs': 100, 'idle-secs': 40 }));
    const idle = await agent.signedOn('_a1');
    const used = await agent.signedOn('_a2');
    for (let times = 0; times < 3; times += 1) {
      here.clock.advance(30_000);
      expect((await used.get('/orders', api)).status).toBe(200);
    }
    expect((await idle.get('/orders', api)).status).toBe(401);
    here.clock.advance(10_000);
    expect((await used.get('/orders', api)).status).toBe(401);
  });

  it('are read under a former name until a sign-on or sign-out replaces the cookie', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const before = await here.start(here.sessions());
    const old = (await before.signedOn('_a1')).cookies.get('gateway_saml_session') ?? '';
    await before.stop();

    const names = { 'cookie-name': '__Host-s', 'former-cookie-names': 'gateway_saml_session' };
    const agent = await here.start(here.sessions(names));
    const browser = agent.browser();
    browser.cookies.set('gateway_saml_session', old);
    const { answer, status } = await browser.get('/orders', api);
    expect(status).toBe(200);
    // The upstream gets no session cookie, whatever its name.
    expect(answer.requestHeaders).toContainEqual({ kind: 'remove', name: 'Cookie' });

    browser.cookies.set('__Host-s', 'A'.repeat(43));
    expect((await browser.get('/orders', api)).status).toBe(401);
    browser.cookies.delete('__Host-s');
    await browser.get('/saml/logout');
    expect([...browser.cookies.keys()]).toEqual([]);
    browser.cookies.set('gateway_saml_session', old);
    expect((await browser.get('/orders', api)).status).toBe(401);
  });

  it('are for all hosts of cookie-domain', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start(here.sessions({ 'cookie-domain': 'app.example', 'cookie-name': '__Secure-s' }));
    const browser = agent.browser();
    const { id: inResponseTo, relayState } = await browser.begin();
    const xml = signedResponse({ nowMs: here.clock.wallMs(), inResponseTo, assertion: { id: '_a1' } });
    const { answer } = await browser.respond(xml, relayState);
    expect(answer.responseHeaders).toContainEqual(
      expect.objectContaining({
        name: 'Set-Cookie',
        value: expect.stringMatching(/^__Secure-s=.{43}; Path=\/; Domain=app\.example; /),
      }),
    );
  });

  it('return to a listed host after an unsolicited response, and to no other', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start(here.sessions({ 'return-hosts': '*.portal.example' }), {
      'allow-idp-initiated': true,
    });
    for (const [index, [wish, target]] of [
      ['https://a.portal.example/x?y=1', 'https://a.portal.example/x?y=1'],
      ['https://portal.example/x', '/'],
      ['https://evil.example/', '/'],
      ['/x', '/x'],
    ].entries()) {
      const xml = signedResponse({ nowMs: here.clock.wallMs(), inResponseTo: null, assertion: { id: `_a${index}` } });
      expect((await agent.browser().respond(xml, wish ?? '')).location).toBe(target);
    }
  });
});

describe('a session cookie', () => {
  it('does not count if it is there twice', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start(here.sessions());
    const browser = await agent.signedOn('_a1');
    const again = ['cookie', `gateway_saml_session=${browser.cookies.get('gateway_saml_session')}`];
    expect((await browser.get('/orders', api)).status).toBe(200);
    expect((await browser.get('/orders', [...api, ...again])).status).toBe(401);
  });

  const cases = [
    ['its own page', 'POST', 'https://app.example', 200],
    ['a page of another site', 'POST', 'https://evil.example', 403],
    ['a page of another site', 'DELETE', 'https://evil.example', 403],
    ['a page of another port', 'POST', 'https://app.example:8443', 403],
    ['a sandboxed page', 'POST', 'null', 403],
    ['a listed page', 'POST', 'https://x.spa.example', 200],
    ['a page of another site that only reads', 'GET', 'https://evil.example', 200],
    ['a page of another site that asks what it may', 'OPTIONS', 'https://evil.example', 200],
  ] as const;

  it.for(cases)('sent by %s with %s from %s gets %i', async ([, method, origin, status], { cleanUp }) => {
    const here = place(cleanUp);
    const config = {
      ...here.sessions({ 'allow-origins': 'https://*.spa.example' }),
      'api-keys': 'key-of-orders:orders',
    };
    const agent = await here.start(config);
    const browser = await agent.signedOn('_a1');
    const sent = [...api, 'x-forwarded-proto', 'https', 'x-forwarded-host', 'app.example', 'origin', origin];
    const reply = await browser.get('/orders', sent, method);
    expect(reply.status).toBe(status);
    if (status !== 403) return;
    expect(reply.body).toContain('"code":"cross_site_request"');
    expect(agent.logger.lines.at(-1)).toMatchObject({ level: 'info', fields: { reason: 'cross_site_request' } });
    // A credential that browsers do not send by themselves is no such request.
    browser.cookies.clear();
    expect((await browser.get('/orders', [...sent, 'x-api-key', 'key-of-orders'], method)).status).toBe(200);
  });

  it('does not open a WebSocket for a page of another site', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start(here.sessions());
    const browser = await agent.signedOn('_a1');
    const handshake = ['host', 'app.example', 'sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ==', 'origin'];
    expect((await browser.get('/live', [...handshake, 'http://app.example'])).status).toBe(200);
    expect((await browser.get('/live', [...handshake, 'https://evil.example'])).status).toBe(403);
  });
});
