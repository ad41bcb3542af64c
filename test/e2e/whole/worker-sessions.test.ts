import { describe, expect } from 'vitest';
import type { LiveSamlProvider } from '../../support/agent/live-saml-provider.js';
import { SamlBrowser } from '../../support/agent/saml-browser.js';
import { startCompany } from '../../support/agent/saml-company.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { untilGone } from '../../support/shared/successors.js';
import { asAdmin, ofEachWorker, processesBelow, workersOf } from '../../support/shared/worker-stack.js';

const sessionCookie = 'gateway_saml_session';

describe('SAML sessions in the memory of a gateway with two workers', () => {
  let stack: GatewayStack;
  let provider: LiveSamlProvider;
  it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
    ({ stack, provider } = await startCompany(cleanUp, {
      transport: 'embedded',
      store: 'session-store "memory"',
      workers: 2,
      adminToken: 'let-me-in',
    }));
  });

  /** What each worker answers this browser, on connections of its own. */
  const seenByEach = (browser: SamlBrowser): Promise<readonly number[]> =>
    ofEachWorker(stack, async () => (await browser.visit('/app')).status);

  it('are created by one worker and valid at both, and at a later worker', async () => {
    const browser = new SamlBrowser(stack.port);
    const page = await browser.pageFor('/app');
    const [first] = await ofEachWorker(stack, async ({ id }) => (id === 1 ? (await browser.post(page)).status : null));
    expect(first).toBe(302);
    expect(await seenByEach(browser)).toEqual([200, 200]);
    const [killed] = await workersOf(stack);
    process.kill(killed?.pid ?? 0, 'SIGKILL');
    await untilTrue('another serves in its place', async () => (await workersOf(stack))[0]?.pid !== killed?.pid);
    expect(await seenByEach(browser)).toEqual([200, 200]);
  });

  it('are refused for an assertion that the other worker accepted', async () => {
    const browser = new SamlBrowser(stack.port);
    const page = await browser.pageFor('/app');
    const answers = await ofEachWorker(stack, async () => (await browser.post(page)).status);
    expect(answers).toEqual([302, 303]);
    // At once from as many connections as it takes: one of them.
    const another = new SamlBrowser(stack.port);
    const once = await another.pageFor('/app');
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await another.post(once)).status));
    expect(statuses.filter((status) => status === 302)).toHaveLength(1);
    // Some are refused unread where too many are verified at a time.
    expect(statuses.filter((status) => status !== 302 && ![303, 403, 503].includes(status))).toEqual([]);
  });

  it('end at both workers with a sign-out at one, even if both used them', async () => {
    const browser = new SamlBrowser(stack.port);
    await browser.signOn('/app');
    expect(await seenByEach(browser)).toEqual([200, 200]);
    const session = browser.cookie(sessionCookie) ?? '';
    const before = provider.signOuts.length;
    const away = await browser.visit('/saml/logout');
    expect(away.status).toBe(302);
    browser.setCookie(sessionCookie, session);
    expect(await seenByEach(browser)).toEqual([302, 302]);
    expect((await fetch(away.headers.location ?? '', { redirect: 'manual' })).status).toBe(302);
    expect(provider.signOuts.slice(before)).toEqual(['LogoutRequest']);
  });

  it('end at both workers at once when an operator revokes them', async () => {
    const browser = new SamlBrowser(stack.port);
    await browser.signOn('/app');
    expect(await seenByEach(browser)).toEqual([200, 200]);
    const listed = await asAdmin(stack, '/admin/sessions?limit=1');
    const { sessions } = JSON.parse(listed.body) as { sessions: { id: string; user: string }[] };
    expect(sessions).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        user: expect.any(String),
        method: 'saml',
        provider: expect.any(String),
        created: expect.stringMatching(/Z$/),
        expires: expect.stringMatching(/Z$/),
        last_seen: expect.stringMatching(/Z$/),
        agent: 'auth',
      },
    ]);
    const path = `/admin/sessions/${sessions[0]?.id}`;
    expect(await asAdmin(stack, path, 'DELETE')).toMatchObject({ status: 204, body: '' });
    expect(await seenByEach(browser)).toEqual([302, 302]);
    expect((await asAdmin(stack, path, 'DELETE')).status).toBe(404);
    expect((await call(stack.adminPort, { path: '/admin/sessions' })).status).toBe(401);
    expect((await call(stack.adminPort, { path, method: 'DELETE' })).status).toBe(401);
  });

  it('end with a killed supervisor, as do the workers, and the port is free', async () => {
    const below = processesBelow(stack.gateway.pid);
    expect(below.length).toBeGreaterThanOrEqual(2);
    stack.gateway.signal('SIGKILL');
    for (const pid of below) await untilGone(pid);
    await expect(call(stack.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
