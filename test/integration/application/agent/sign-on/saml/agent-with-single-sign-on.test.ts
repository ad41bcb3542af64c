import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { tryAgent, unopenedStores } from '../../../../../../src/application/agent/configure-agent/try-agent.js';
import { noOtherProcesses } from '../../../../../../src/application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../../../../../src/application/agent/sessions/session-store-leases.js';
import type { SessionStoreOpener } from '../../../../../../src/application/ports/agent/session-stores.js';
import { agentTokens } from '../../../../../../src/bootstrap/agent/agent-tokens.js';
import { agentContainer } from '../../../../../../src/bootstrap/agent/start-agent.js';
import type { JsonObject } from '../../../../../../src/domain/shared/json.js';
import { ok } from '../../../../../../src/domain/shared/result.js';
import {
  AgentBrowser,
  judgeOf,
  redirectedTo,
  samlConfig,
  sentMessage,
} from '../../../../../support/agent/saml-agent.js';
import {
  logoutRequestXml,
  logoutResponseXml,
  type ResponseParts,
  signedResponse,
} from '../../../../../support/agent/saml-documents.js';
import { idpKey, strangerKey } from '../../../../../support/agent/saml-keys.js';
import { optionsOf, requestEvent, startedTestAgent, upstreamHeaders } from '../../../../../support/agent/test-agent.js';
import { chunkEvent } from '../../../../../support/shared/agent-events.js';
import { openTransport, type TransportName } from '../../../../../support/shared/agent-transports.js';
import type { CleanUp } from '../../../../../support/shared/clean-up.js';
import { it } from '../../../../../support/shared/fixtures.js';
import { ManualClock } from '../../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../../support/shared/recording-logger.js';
import { temporaryFolder } from '../../../../../support/shared/temporary-folder.js';

const session = 'gateway_saml_session';

interface Plan {
  readonly transport?: TransportName;
  readonly saml?: JsonObject;
  readonly config?: JsonObject;
}

/** A folder with the certificate of the identity provider, and agents that are configured with it. */
const place = (cleanUp: CleanUp) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const clock = new ManualClock();
  const certificateFile = folder.write('idp.pem', idpKey().certificatePem);
  const start = async ({ transport = 'embedded', saml = {}, config = {} }: Plan = {}) => {
    const options = samlConfig(
      certificateFile,
      { 'session-store-path': folder.file('s/sessions.db'), ...saml },
      config,
    );
    const made = await startedTestAgent(options, { clock });
    const opened = await openTransport(transport, made.agent, { config: null });
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
    const judge = judgeOf(opened.client);
    return { ...made, judge, stop, browser: () => new AgentBrowser(judge) };
  };
  const response = (inResponseTo: string | null, id: string, parts: Partial<ResponseParts> = {}) =>
    signedResponse({ nowMs: clock.wallMs(), inResponseTo, ...parts, assertion: { id, ...parts.assertion } });
  return { folder, clock, certificateFile, start, response };
};

type Place = ReturnType<typeof place>;

const signOn = async (browser: AgentBrowser, { response }: Pick<Place, 'response'>, id: string) => {
  const { id: requestId, relayState } = await browser.begin();
  const xml = response(requestId, id);
  return { reply: await browser.respond(xml, relayState), xml, relayState };
};

const headerOf = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];

const matrix = (['embedded', 'socket'] as const).flatMap((transport) =>
  (['memory', 'sqlite'] as const).map((kind) => ({ transport, kind })),
);

const storeOf = (kind: 'memory' | 'sqlite', { folder }: Place): JsonObject =>
  kind === 'memory'
    ? { 'session-store': 'memory', 'session-store-path': null }
    : { 'session-store-path': folder.file('s/sessions.db') };

describe.each(matrix)('an agent with transport $transport and sessions in $kind', ({ transport, kind }) => {
  it('signs a browser on, recognises it, and signs it out', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start({ transport, saml: storeOf(kind, here) });
    const browser = agent.browser();
    const { reply } = await signOn(browser, here, '_a1');
    expect([reply.status, reply.location]).toEqual([302, '/orders?page=2']);
    expect([...browser.cookies.keys()]).toEqual([session]);

    browser.cookies.set('theme', 'dark');
    const forged = ['accept', 'text/html', 'x-user-id', 'root', 'X_Department', 'root', 'x-groups', 'root'];
    const allowed = await browser.get('/orders?page=2', forged);
    expect(allowed.status).toBe(200);
    const sent = [...forged, 'cookie', `${session}=${browser.cookies.get(session)}; theme=dark`];
    const headers = upstreamHeaders(sent, allowed.answer);
    expect(headerOf(headers, 'X-User-Id')).toBe('alice@example.com');
    expect(headerOf(headers, 'X-Auth-Method')).toBe('saml');
    expect(headerOf(headers, 'X-Department')).toBe('engineering');
    expect(headerOf(headers, 'X-Groups')).toBe('staff,admins');
    expect(headerOf(headers, 'Cookie')).toBe('theme=dark');
    expect(headers).not.toContain('root');
    expect(headers.join()).not.toContain(session);

    const shown = browser.cookies.get(session) ?? '';
    const away = await browser.get('/saml/logout');
    expect(away.location).toMatch(/^https:\/\/idp\.example\/slo\?SAMLRequest=/);
    expect(browser.cookies.has(session)).toBe(false);
    browser.cookies.set(session, shown);
    expect((await browser.get('/orders')).status).toBe(302);
    const { id, relayState } = sentMessage(away);
    const answered = logoutResponseXml({ nowMs: here.clock.wallMs(), inResponseTo: id });
    const back = await browser.get(redirectedTo('/saml/logout', 'SAMLResponse', answered, idpKey(), relayState));
    expect(back.status).toBe(200);
  });

  it('refuses a replayed response', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start({ transport, saml: { ...storeOf(kind, here), 'allow-idp-initiated': true } });
    const unsolicited = here.response(null, '_a1');
    const first = await agent.browser().respond(unsolicited, '');
    expect([first.status, first.location]).toEqual([302, '/']);
    const thief = agent.browser();
    const again = await thief.respond(unsolicited, '');
    expect([again.status, thief.cookies.size]).toEqual([403, 0]);
    expect(again.body).not.toContain('replay');
    expect(agent.logger.lines.some(({ fields }) => fields?.['reason'] === 'replayed')).toBe(true);
  });
});

describe('an agent restarted on the same database', () => {
  it('keeps its sessions and accepted assertions', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const before = await here.start({ saml: { 'allow-idp-initiated': true } });
    const browser = before.browser();
    const unsolicited = here.response(null, '_a1');
    expect((await browser.respond(unsolicited, '')).status).toBe(302);
    const underWay = before.browser();
    const begun = await underWay.begin('/later');
    await before.stop();

    const after = await here.start({ saml: { 'allow-idp-initiated': true } });
    const same = after.browser();
    same.cookies.set(session, browser.cookies.get(session) ?? '');
    expect((await same.get('/orders')).status).toBe(200);
    expect((await after.browser().respond(unsolicited, '')).status).toBe(403);
    const goesOn = after.browser();
    for (const [name, value] of underWay.cookies) goesOn.cookies.set(name, value);
    const reply = await goesOn.respond(here.response(begun.id, '_a2'), begun.relayState);
    expect([reply.status, reply.location]).toEqual([302, '/later']);
  });

  it('has the last use of its sessions', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const saml = { 'session-idle-secs': 60 };
    const before = await here.start({ saml });
    const browser = before.browser();
    await signOn(browser, here, '_a1');
    here.clock.advance(50_000);
    expect((await browser.get('/orders')).status).toBe(200);
    await before.stop();
    here.clock.advance(50_000);

    const after = await here.start({ saml });
    const same = after.browser();
    same.cookies.set(session, browser.cookies.get(session) ?? '');
    expect((await same.get('/orders')).status).toBe(200);
    here.clock.advance(60_000);
    expect((await same.get('/orders')).status).toBe(302);
  });
});

describe('a request of the identity provider', () => {
  it('ends its named sessions only if signed', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start();
    const browser = agent.browser();
    await signOn(browser, here, '_a1');
    const request = logoutRequestXml({ nowMs: here.clock.wallMs() });
    for (const key of [null, strangerKey()]) {
      const refused = await agent.browser().get(redirectedTo('/saml/logout', 'SAMLRequest', request, key));
      expect(refused.status).toBe(403);
      expect((await browser.get('/orders')).status).toBe(200);
    }
    const followed = await agent.browser().get(redirectedTo('/saml/logout', 'SAMLRequest', request, idpKey()));
    expect(followed.location).toMatch(/^https:\/\/idp\.example\/slo\?SAMLResponse=/);
    expect((await browser.get('/orders')).status).toBe(302);
  });
});

describe('paths', () => {
  const paths = { 'protected-paths': ['/app'], 'excluded-paths': ['/app/public'] };

  it('that are protected are never opened by fail-open, unlike others', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start({ saml: paths, config: { 'fail-open': true } });
    const browser = agent.browser();
    const api = ['accept', 'application/json'];
    expect((await browser.get('/app/x', api)).status).toBe(401);
    expect((await browser.get('/app/x', [], 'POST')).status).toBe(401);
    expect((await browser.get('/app/x')).status).toBe(302);
    expect((await browser.get('/app/public/x')).status).toBe(200);
    expect((await browser.get('/elsewhere', api)).status).toBe(200);
  });

  it('that are excluded ignore sessions, unlike open ones', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start({ saml: paths });
    const browser = agent.browser();
    const { id, relayState } = await browser.begin('/app');
    await browser.respond(here.response(id, '_a1'), relayState);
    expect((await browser.get('/app')).status).toBe(200);
    expect((await browser.get('/elsewhere')).status).toBe(200);
    expect((await browser.get('/app/public/x')).status).toBe(401);
    browser.cookies.clear();
    expect((await browser.get('/elsewhere')).status).toBe(401);
  });

  it('that are protected accept every authentication method', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start({ config: { 'api-keys': 'key-of-orders:orders' } });
    const reply = await agent.browser().get('/orders', ['x-api-key', 'key-of-orders']);
    expect(reply.status).toBe(200);
    // Whoever shows a key is no browser that could sign on.
    expect((await agent.browser().get('/orders', ['x-api-key', 'wrong'])).status).toBe(401);
  });

  it('cause no redirect loop with conflicting cookies', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start();
    const cookie = `${session}=${'A'.repeat(43)}; ${session}=${'B'.repeat(43)}`;
    expect((await agent.browser().get('/orders', ['accept', 'text/html', 'cookie', cookie])).status).toBe(401);
  });
});

describe('policies', () => {
  const only = (role: string) => ({
    authz: {
      enabled: true,
      'roles-claim': 'groups',
      'strict-policies': true,
      'policy-inline': `permit(principal in Role::"${role}", action, resource) when { context.auth_method == "saml" };`,
    },
  });

  it.for([
    ['admins', 200],
    ['strangers', 403],
  ] as const)('use roles of an attribute: for %s the status is %i', async ([role, status], { cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start({ config: only(role) });
    const browser = agent.browser();
    await signOn(browser, here, '_a1');
    expect((await browser.get('/orders')).status).toBe(status);
    expect(agent.logger.lines.map(({ message }) => message).join('\n')).not.toContain('roles');
  });
});

describe('the agent', () => {
  it('serves its metadata', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start();
    const { body, status } = await agent.browser().get('/saml/metadata');
    expect(status).toBe(200);
    expect(body).toContain('https://app.example/saml/acs');
  });

  it('reloads certificates of the identity provider', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start();
    const browser = agent.browser();
    const byStranger = async (id: string) => {
      const begun = await browser.begin();
      const parts = { nowMs: here.clock.wallMs(), inResponseTo: begun.id, assertion: { id } };
      return (await browser.respond(signedResponse(parts, { key: strangerKey() }), begun.relayState)).status;
    };
    expect(await byStranger('_a1')).toBe(403);
    here.folder.write('idp.pem', 'nothing of use');
    expect((await agent.agent.reload()).ok).toBe(false);
    expect((await signOn(agent.browser(), here, '_a2')).reply.status).toBe(302);
    here.folder.write('idp.pem', `${idpKey().certificatePem}\n${strangerKey().certificatePem}`);
    expect((await agent.agent.reload()).ok).toBe(true);
    expect(await byStranger('_a3')).toBe(302);
    expect((await signOn(agent.browser(), here, '_a4')).reply.status).toBe(302);
  });

  it('keeps in-memory sessions over a new configuration', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start({ saml: storeOf('memory', here) });
    const browser = agent.browser();
    await signOn(browser, here, '_a1');
    expect((await agent.agent.reload()).ok).toBe(true);
    expect((await browser.get('/orders')).status).toBe(200);
  });

  it('counts sign-ons and sessions, and reports the end of the certificate', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start();
    await signOn(agent.browser(), here, '_a1');
    await agent.browser().respond('<x/>', '');
    const under = agent.browser();
    await under.begin();
    await under.respond('<x/>', '');
    const ends = agent.agent.metrics().gauges.filter(({ labels }) => 'subject' in labels);
    const { subject, validTo } = new X509Certificate(idpKey().certificatePem);
    expect(ends.map(({ name, labels, value }) => [name, labels, value])).toEqual([
      [
        'saml_certificate_expiry_timestamp_seconds',
        { subject: subject.replaceAll('\n', ', ') },
        Date.parse(validTo) / 1_000,
      ],
    ]);
    const told = () =>
      [...agent.agent.metrics().counters, ...agent.agent.metrics().gauges]
        .filter(({ name }) => name.startsWith('saml_') || name === 'sessions_active')
        .map(({ name, labels, value }) => `${name} ${labels['result'] ?? labels['method'] ?? ''} ${value}`);
    await expect.poll(told).toContain('saml_sessions_active  1');
    expect(told()).toContain('sessions_active saml 1');
    expect(told()).toContain('sessions_active oidc 0');
    expect(told()).toContain('saml_sign_ons_total completed 1');
    expect(told()).toContain('saml_sign_ons_total other_browser 1');
    expect(told()).toContain('saml_sign_ons_total unsolicited 1');
  });

  it('owns the headers of mapped attributes', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start();
    expect(agent.agent.capabilities().ownedHeaders).toEqual(expect.arrayContaining(['X-Department', 'X-Groups']));
  });

  it('neither accepts nor redirects while its store is unavailable, and reports it', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const options = samlConfig(here.certificateFile, {}, { 'fail-open': true, 'api-keys': 'key-of-orders:orders' });
    const failing = await unopenedStores(async () => null).acquire({ kind: 'memory' }, 'sp');
    if (!failing.ok) throw new Error(failing.error);
    const opener: SessionStoreOpener = { open: async () => ok(failing.value.stores) };
    const stores = new SessionStoreLeases({
      opener,
      clock: here.clock,
      logger: new RecordingLogger(),
      endings: noOtherProcesses,
    });
    const { agent } = await startedTestAgent(options, { clock: here.clock, sessions: { stores } });
    cleanUp.add(() => agent.stop());
    const browser = new AgentBrowser((event) => agent.decide(event, Symbol('connection')));
    // Before anybody asks for a session.
    expect(agent.health()).toMatchObject({ state: 'degraded', message: expect.stringContaining('session store') });
    expect((await browser.get('/orders')).status).toBe(503);
    browser.cookies.set(session, 'A'.repeat(43));
    const shown = await browser.get('/orders');
    expect([shown.status, shown.body]).toEqual([503, expect.stringContaining('agent_undecided')]);
    expect((await browser.get('/orders', ['x-api-key', 'key-of-orders'])).status).toBe(200);
  });

  it('forwards its cookies only if all credentials are forwarded', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const agent = await here.start({ config: { 'forward-credentials': true } });
    const browser = agent.browser();
    await signOn(browser, here, '_a1');
    const { answer } = await browser.get('/orders');
    const sent = ['cookie', `${session}=${browser.cookies.get(session)}`];
    expect(upstreamHeaders(sent, answer)).toEqual(expect.arrayContaining(sent));
  });

  it('drops a form with its connection', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const { agent } = await here.start({ saml: { 'allow-idp-initiated': true } });
    const connection = Symbol('connection');
    const headers = ['content-type', 'application/x-www-form-urlencoded'];
    const head = { ...requestEvent(headers), method: 'POST', uri: '/saml/acs' };
    expect((await agent.decide(head, connection)).needsMore).toBe(true);
    const octets = (count: number, isLast: boolean) =>
      chunkEvent(head.correlationId, { data: new Uint8Array(count), isLast });
    expect((await agent.decide(octets(1_000_000, false), connection)).needsMore).toBe(true);
    expect((await agent.decide(octets(100_000, true), connection)).decision).toMatchObject({
      kind: 'block',
      status: 413,
    });
    await agent.decide(head, connection);
    await agent.stop();
    expect((await agent.decide(octets(1, true), connection)).decision).toMatchObject({ kind: 'block' });
  });

  it.for(['cancelled', 'disconnected'] as const)(
    'opens no session for a form that is %s, and accepts it again',
    async (ending, { cleanUp }) => {
      const here = place(cleanUp);
      const { agent, logger } = await here.start();
      const begun = Symbol('connection');
      const browser = new AgentBrowser((event) => agent.decide(event, begun));
      const { id, relayState } = await browser.begin();
      const xml = here.response(id, '_a1');
      const connection = Symbol('connection');
      let ended = '';
      const impatient = new AgentBrowser((event) => {
        const answer = agent.decide(event, connection);
        if (event.kind === 'request_body_chunk' && event.isLast) {
          ended = event.correlationId;
          if (ending === 'cancelled') agent.cancel(ended, 'timeout', connection);
          else agent.disconnected(connection);
        }
        return answer;
      });
      for (const [name, value] of browser.cookies) impatient.cookies.set(name, value);
      expect((await impatient.respond(xml, relayState)).status).toBe(503);
      expect(ended).not.toBe('');
      expect(impatient.cookies.has(session)).toBe(false);
      const reasons = logger.lines.map(({ fields }) => fields?.['reason']);
      expect(reasons).toContain('cancelled');
      expect(await browser.respond(xml, relayState)).toMatchObject({ status: 302, location: '/orders?page=2' });
    },
  );

  it('does not start if its store does not open, and reports why', async ({ cleanUp }) => {
    const here = place(cleanUp);
    here.folder.write('other.db', 'this is no database, it is a text that is somewhat longer than its header would be');
    const saml = { 'session-store-path': here.folder.file('other.db') };
    await expect(here.start({ saml })).rejects.toThrow(/saml: the session store: /);
  });

  it('does not create a store in a trial run', async ({ cleanUp }) => {
    const here = place(cleanUp);
    const file = here.folder.file('tried/sessions.db');
    const config = samlConfig(here.certificateFile, { 'session-store-path': file });
    const parts = agentContainer(new RecordingLogger()).get(agentTokens.agentProcessServices);
    const tried = await tryAgent(optionsOf(config), parts);
    expect(tried.problems).toEqual([]);
    expect(tried.agent?.methods).toEqual(['saml']);
    expect(existsSync(here.folder.file('tried'))).toBe(false);
    const missing = samlConfig(here.folder.file('missing.pem'), { 'session-store-path': file });
    const { problems } = await tryAgent(optionsOf(missing), parts);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('idp-cert-file: the file')]);
  });
});
