import { describe, expect, it } from 'vitest';
import { documentsOfGroup } from '../../../../../../src/application/agent/sign-on/saml/verification-shares.js';
import { CancellationSource } from '../../../../../../src/application/shared/cancellation/cancellation-source.js';
import { documentRejections } from '../../../../../../src/domain/agent/saml/document-rejection.js';
import type { AgentAnswer } from '../../../../../../src/domain/agent-protocol/messages.js';
import {
  locationOf,
  postedDocument,
  refusalOf,
  SamlWorld,
  type SamlWorldOptions,
  setCookies,
  spKey,
} from '../../../../../support/agent/fake-saml-sign-on.js';

const worldOf = (options: SamlWorldOptions = {}) => new SamlWorld(options);
const form = (relayState: string) => ({ SAMLResponse: postedDocument, RelayState: relayState });

/** What must not have changed where a sign-on is refused. */
const nothingOpened = (world: SamlWorld) => {
  expect(world.sessions.held.size).toBe(0);
  expect(world.sessionCookie()).toBeUndefined();
  expect(world.completed).toBe(0);
  expect(world.faults()).toEqual([]);
};

describe('a sign-on that requires fresh authentication', () => {
  const authenticated = (world: SamlWorld, beforeMs: number) => ({
    authentication: [
      {
        authnInstantMs: world.clock.wallMs() - beforeMs,
        sessionIndex: 'index-1',
        sessionNotOnOrAfterMs: null,
        contextClass: null,
      },
    ],
  });

  it('is refused if the user authenticated before it began', async () => {
    const world = worldOf({ options: { forceAuthn: true, clockSkewMs: 60_000 } });
    expect(refusalOf(await world.signOn('/', authenticated(world, 60_000)))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['authentication_not_fresh']);
    nothingOpened(world);
    expect((await world.signOn('/', authenticated(world, 59_999))).decision.kind).toBe('redirect');
  });

  it('accepts any authentication if the option is off', async () => {
    const world = worldOf();
    expect((await world.signOn('/', authenticated(world, 3_600_000))).decision.kind).toBe('redirect');
  });
});

describe('a completed sign-on', () => {
  it('creates a session and its cookie, and redirects to the requested page', async () => {
    const world = worldOf();
    const answer = await world.signOn('/reports?year=2026');
    expect(locationOf(answer).href).toBe('https://app.example/reports?year=2026');
    expect(answer.decision).toMatchObject({ url: '/reports?year=2026' });
    const sessionId = world.sessionCookie() ?? '';
    expect(sessionId).toHaveLength(43);
    expect(world.sessions.of(sessionId)).toEqual({
      idHash: world.digest.sha256Hex(sessionId),
      userId: 'ann@idp',
      method: 'saml',
      provider: 'https://idp.example',
      logout: { subject: 'ann@idp', session: 'index-1' },
      details: {
        provider_name: 'saml',
        auth_time_ms: String(world.clock.wallMs()),
        sign_on_page: world.digest.sha256Hex('page\n/reports'),
      },
      attributes: [{ name: 'mail', values: ['ann@example.com'] }],
      createdMs: world.clock.wallMs(),
      expiresMs: world.clock.wallMs() + 28_800_000,
      lastSeenMs: world.clock.wallMs(),
    });
    expect(setCookies(answer)[0]).toBe(
      `gateway_saml_session=${sessionId}; Path=/; Max-Age=28800; Secure; HttpOnly; SameSite=Lax`,
    );
    expect([...world.jar.cookies.keys()]).toEqual(['gateway_saml_session']);
    expect(world.requests.held.size).toBe(0);
    expect(world.completed).toBe(1);
    expect(world.faults()).toEqual([]);
  });

  it('is logged with only the user and a hash prefix', async () => {
    const world = worldOf();
    await world.signOn();
    expect(world.logger.lines).toEqual([
      {
        level: 'info',
        message: 'sign-on completed',
        fields: {
          user: 'ann@idp',
          session: world.digest.sha256Hex(world.sessionCookie() ?? '').slice(0, 12),
          trace_id: 'c-2',
          correlation_id: 'c-2',
        },
      },
    ]);
  });

  it('returns a page that navigates if the cookie is SameSite Strict', async () => {
    const world = worldOf({ cookie: { name: 's', sameSite: 'Strict' } });
    const answer = await world.signOn('/a?b=%22&c=<script>');
    expect(refusalOf(answer)).toBe('200');
    const { body, headers } = answer.decision as { body: string; headers: readonly string[] };
    expect(body).toContain('<meta http-equiv="refresh" content="0;url=/a?b=%22&amp;c=&lt;script&gt;">');
    expect(body).not.toContain('<script');
    expect(headers.join()).toContain("default-src 'none'");
    expect(setCookies(answer)[0]).toMatch(/^s=.{43}; .*SameSite=Strict$/);
    expect(world.faults()).toEqual([]);
  });

  it("creates a session and a cookie that end with the identity provider's session", async () => {
    const world = worldOf();
    const authentication = [
      {
        authnInstantMs: world.clock.wallMs(),
        sessionIndex: null,
        sessionNotOnOrAfterMs: world.clock.wallMs() + 90_500,
        contextClass: null,
      },
    ];
    const answer = await world.signOn('/', { authentication });
    expect([...world.sessions.held.values()][0]?.expiresMs).toBe(world.clock.wallMs() + 90_500);
    expect(setCookies(answer)[0]).toContain('Max-Age=91;');
  });

  it("uses the identity provider's keys, and ours for decryption", async () => {
    const world = worldOf({ key: spKey });
    await world.signOn();
    expect(world.verifier.documents).toEqual([postedDocument]);
    expect(world.verifier.keys).toEqual([{ signingCertificates: ['MIIB'], decryptionKey: spKey.decryptionKey }]);
  });

  it('ends the previous session of the browser', async () => {
    const world = worldOf();
    await world.signOn();
    const before = world.sessionCookie() ?? '';
    await world.signOn();
    const after = world.sessionCookie() ?? '';
    expect(after).not.toBe(before);
    expect(world.sessions.of(before)).toBeUndefined();
    expect(world.sessions.held.size).toBe(1);
  });

  it('succeeds although the previous session cannot be ended, which is logged', async () => {
    const world = worldOf();
    await world.signOn();
    world.sessions.failing.add('end');
    await world.signOn();
    expect(world.sessions.held.size).toBe(2);
    expect(world.log()).toContain('warn the previous session could not be ended after a sign-on');
    expect(world.faults()).toEqual([]);
  });

  it('never uses a session id from the browser', async () => {
    const world = worldOf();
    const chosen = 'a'.repeat(43);
    world.jar.cookies.set('gateway_saml_session', chosen);
    await world.signOn();
    expect(world.sessionCookie()).not.toBe(chosen);
    expect(world.sessions.of(chosen)).toBeUndefined();
  });

  it('needs no cookie of the browser that began if browser binding is off', async () => {
    const world = worldOf({ options: { browserBinding: false } });
    const relayState = await world.await();
    expect(locationOf(await world.post('/saml/acs', form(relayState), [])).pathname).toBe('/reports');
    expect(world.sessions.held.size).toBe(1);
  });
});

describe('a response is accepted once', () => {
  it('of two concurrent posts of one document only one opens a session', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const cookies = world.jar.header();
    const answers = await Promise.all([
      world.post('/saml/acs', form(relayState), cookies),
      world.post('/saml/acs', form(relayState), cookies),
    ]);
    expect(answers.map(refusalOf).toSorted()).toEqual(['403 sign_on_refused', 'redirect']);
    expect(world.sessions.held.size).toBe(1);
    expect(world.refusals).toEqual(['unknown_request']);
    expect(world.faults()).toEqual([]);
  });

  it('of two concurrent unsolicited posts of one document only one opens a session', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    world.verifier.response = { ok: true, value: world.response(null) };
    const answers = await Promise.all([world.post('/saml/acs', form('')), world.post('/saml/acs', form(''))]);
    expect(answers.map(refusalOf).toSorted()).toEqual(['403 sign_on_refused', 'redirect']);
    expect(world.refusals).toEqual(['replayed']);
    expect(world.sessions.held.size).toBe(1);
  });

  it('a used assertion is refused for another request of the same browser', async () => {
    const world = worldOf();
    await world.signOn('/', { id: '_one' });
    const answer = await world.signOn('/', { id: '_one' });
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['replayed']);
    expect(world.sessions.held.size).toBe(1);
  });

  it('a refused document keeps the request for its real response', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const good = world.verifier.response;
    const held = [...world.requests.held];
    world.verifier.response = { ok: false, error: 'wrong_signature' };
    await world.post('/saml/acs', form(relayState));
    expect([...world.requests.held]).toEqual(held);
    nothingOpened(world);
    world.verifier.response = good;
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
    expect(world.requests.held.size).toBe(0);
    await world.post('/saml/acs', form(relayState));
    expect(world.refusals).toEqual(['wrong_signature', 'replayed']);
  });
});

describe('a sign-on is refused', () => {
  it.each(documentRejections)('if the document is refused for %s, without telling the client', async (reason) => {
    const world = worldOf();
    const relayState = await world.await();
    world.verifier.response = { ok: false, error: reason };
    const answer = await world.post('/saml/acs', form(relayState));
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(world.log()).toEqual([`warn sign-on refused ${reason}`]);
    expect(world.logger.lines[0]?.fields).toEqual({
      reason,
      trace_id: 'c-2',
      correlation_id: 'c-2',
      client_ip: '192.0.2.7',
    });
    expect(world.refusals).toEqual([reason]);
    expect(world.replays.held.size).toBe(0);
    nothingOpened(world);
  });

  it('if the response is for another request', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.verifier.response = { ok: true, value: world.response('_another') };
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['wrong_in_response_to']);
    expect(world.replays.held.size).toBe(0);
    nothingOpened(world);
  });

  it('if it is unsolicited', async () => {
    const world = worldOf();
    await world.await();
    world.verifier.response = { ok: true, value: world.response(null) };
    expect(refusalOf(await world.post('/saml/acs', { SAMLResponse: postedDocument }))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['unsolicited']);
    expect(world.verifier.documents).toEqual([]);
    nothingOpened(world);
  });

  it.each(['https://evil.example/', 'x', 'b'.repeat(43)])(
    'if no request matches the RelayState %s',
    async (relayState) => {
      const world = worldOf();
      await world.await();
      await world.post('/saml/acs', form(relayState));
      expect(world.refusals).toEqual(['unknown_request']);
      expect(world.requests.held.size).toBe(1);
      expect(world.requests.asked).toBe(relayState.length === 43 ? 2 : 0);
      nothingOpened(world);
    },
  );

  it('if the request has expired', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.clock.advance(300_000);
    await world.post('/saml/acs', form(relayState));
    expect(world.refusals).toEqual(['unknown_request']);
    nothingOpened(world);
  });

  it('if the RelayState belongs to a sign-out', async () => {
    const world = worldOf();
    await world.signOn();
    const relayState = locationOf(await world.get('/saml/logout')).searchParams.get('RelayState') ?? '';
    await world.begin();
    await world.post('/saml/acs', form(relayState));
    expect(world.refusals).toEqual(['unknown_request']);
    expect(world.sessions.held.size).toBe(0);
  });

  it.each([
    ['shows no cookie', () => []],
    ['shows another value', (name: string) => ['cookie', `${name}=${'c'.repeat(43)}`]],
    ['shows the value under another name', (_: string, value: string) => ['cookie', `other=${value}`]],
    ['shows two values', (name: string, value: string) => ['cookie', `${name}=x; ${name}=${value}`]],
  ])('if another browser that %s completes it', async (_, cookiesOf) => {
    const world = worldOf();
    const relayState = await world.await();
    const [name, value] = [...world.jar.cookies][0] as [string, string];
    const answer = await world.post('/saml/acs', form(relayState), cookiesOf(name, value));
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(JSON.stringify(answer.decision)).toContain('cookies');
    expect(world.refusals).toEqual(['other_browser']);
    expect(world.verifier.documents).toEqual([]);
    nothingOpened(world);
  });

  it('if the request was stored before browser binding existed', async () => {
    const world = worldOf();
    const relayState = await world.await();
    for (const [hash, request] of world.requests.held) world.requests.held.set(hash, { ...request, bindingHash: null });
    await world.post('/saml/acs', form(relayState));
    expect(world.refusals).toEqual(['other_browser']);
    nothingOpened(world);
  });

  it('if the session would expire before it begins, which would cause a redirect loop', async () => {
    const world = worldOf();
    const nowMs = world.clock.wallMs();
    const authentication = [
      { authnInstantMs: nowMs, sessionIndex: null, sessionNotOnOrAfterMs: nowMs - 1, contextClass: null },
    ];
    expect(refusalOf(await world.signOn('/', { authentication }))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['session_over']);
    nothingOpened(world);
  });

  it.each([
    ['no SAMLResponse', 'RelayState=x'],
    ['an empty SAMLResponse', 'SAMLResponse=&RelayState=x'],
    ['two SAMLResponses', 'SAMLResponse=a&SAMLResponse=b'],
    ['two RelayStates', 'SAMLResponse=a&RelayState=x&RelayState=y'],
    ['a broken escape', 'SAMLResponse=%zz'],
    ['no UTF-8', 'SAMLResponse=%ff'],
    ['nothing', ''],
  ])('if the form has %s', async (_, text) => {
    const world = worldOf();
    await world.await();
    const answer = await world.postOctets('/saml/acs', new TextEncoder().encode(text));
    expect(refusalOf(answer)).toBe('400 sign_on_malformed');
    expect(world.refusals).toEqual(['malformed_form']);
    expect(world.requests.held.size).toBe(1);
    nothingOpened(world);
  });
});

describe('a repeated post of a form', () => {
  /** A browser that signed on, with the RelayState that it posted. */
  const signedOn = async (options: SamlWorldOptions = {}) => {
    const world = worldOf(options);
    const relayState = await world.await('/reports?year=2026');
    await world.post('/saml/acs', form(relayState));
    return { world, relayState, sessionId: world.sessionCookie() ?? '' };
  };
  const outcomeOf = ({ audit, decision }: AgentAnswer) => ({
    reasons: audit.reasonCodes,
    outcome: audit.custom['outcome'],
    location: decision.kind === 'redirect' ? `${decision.status} ${decision.url}` : null,
  });
  const replayed = { reasons: ['replayed'], outcome: 'failed', location: '303 /reports?year=2026' };

  it('redirects to its page if the browser has a session, and opens none', async () => {
    const { world, relayState, sessionId } = await signedOn();
    for (let posts = 0; posts < 3; posts += 1) {
      const answer = await world.post('/saml/acs', form(relayState));
      expect(outcomeOf(answer)).toEqual(replayed);
      expect(setCookies(answer)).toEqual([]);
    }
    expect(world.sessionCookie()).toBe(sessionId);
    expect(world.sessions.held.size).toBe(1);
    expect(world.completed).toBe(1);
    expect(world.refusals).toEqual(['replayed', 'replayed', 'replayed']);
    expect(world.verifier.documents).toHaveLength(1);
    expect(world.faults()).toEqual([]);
  });

  it('redirects to its page if the browser holds cookies back for a cross-site post', async () => {
    const { world, relayState } = await signedOn();
    const answer = await world.post('/saml/acs', form(relayState), ['sec-fetch-site', 'cross-site']);
    expect(outcomeOf(answer)).toEqual(replayed);
    expect(setCookies(answer)).toEqual([]);
    expect(world.sessions.held.size).toBe(1);
  });

  it('gets a page that navigates if the cookie is SameSite Strict', async () => {
    const { world, relayState } = await signedOn({ cookie: { name: 's', sameSite: 'Strict' } });
    const answer = await world.post('/saml/acs', form(relayState), ['sec-fetch-site', 'cross-site']);
    expect(answer.decision).toMatchObject({ status: 200, body: expect.stringContaining('url=/reports?year=2026') });
  });

  it.each([
    ['it signed out', async (world: SamlWorld) => void (await world.get('/saml/logout'))],
    ['its session has ended', async (world: SamlWorld) => world.sessions.held.clear()],
  ])('gets a page with a link to start again if %s', async (_, end) => {
    const { world, relayState } = await signedOn();
    await end(world);
    const answer = await world.post('/saml/acs', form(relayState), ['sec-fetch-site', 'cross-site']);
    const { status, body, headers } = answer.decision as { status: number; body: string; headers: readonly string[] };
    expect(status).toBe(403);
    expect(body).toContain('<a href="/reports?year=2026">Sign in again</a>');
    expect(body).not.toContain('<script');
    expect(headers.join()).toContain("default-src 'none'");
    expect(outcomeOf(answer)).toMatchObject({ reasons: ['replayed'], outcome: 'failed' });
    expect(setCookies(answer)).toEqual([]);
    expect(world.sessions.held.size).toBe(0);
    expect(world.refusals).toEqual(['replayed']);
    expect(world.faults()).toEqual([]);
  });

  it('is refused unread from a browser without any of its cookies', async () => {
    const { world, relayState } = await signedOn();
    const answer = await world.post('/saml/acs', form(relayState), []);
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(JSON.stringify(answer)).not.toContain('reports');
    expect(world.refusals).toEqual(['other_browser']);
  });

  it('with another document redirects if that is valid, and opens no session', async () => {
    const { world, relayState } = await signedOn();
    const other = { SAMLResponse: 'QW5vdGhlciBkb2N1bWVudA', RelayState: relayState };
    expect(outcomeOf(await world.post('/saml/acs', other))).toEqual(replayed);
    expect(world.verifier.documents).toHaveLength(2);
    expect(world.sessions.held.size).toBe(1);
    expect(world.replays.held.size).toBe(1);
  });

  it('with a forged document reveals nothing, and after five the page is forgotten', async () => {
    const { world, relayState } = await signedOn();
    const forged = { SAMLResponse: 'Rm9yZ2VkIGRvY3VtZW50', RelayState: relayState };
    for (const response of [
      { ok: false, error: 'wrong_signature' } as const,
      { ok: true, value: world.response('_another-request') } as const,
      { ok: true, value: world.response(null) } as const,
      { ok: false, error: 'unsigned' } as const,
      { ok: false, error: 'unsigned' } as const,
    ]) {
      world.verifier.response = response;
      const answer = await world.post('/saml/acs', forged);
      expect(refusalOf(answer)).toBe('403 sign_on_refused');
      expect(JSON.stringify(answer)).not.toContain('reports');
    }
    expect(world.requests.answered.size).toBe(0);
    expect(world.refusals).not.toContain('replayed');
    expect(world.faults()).toEqual([]);
  });

  it('is refused after its page expires after an hour', async () => {
    const { world, relayState } = await signedOn();
    world.clock.advance(3_600_000);
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['unknown_request']);
  });

  it('redirects to its page for a sign-on by the identity provider too', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    world.verifier.response = { ok: true, value: world.response(null) };
    await world.post('/saml/acs', form('/reports'));
    expect(outcomeOf(await world.post('/saml/acs', form('/reports')))).toMatchObject({ location: '303 /reports' });
    // The RelayState is that of many: another document is a sign-on of its own.
    const other = { SAMLResponse: 'QW5vdGhlciBkb2N1bWVudA', RelayState: '/reports' };
    world.verifier.response = { ok: true, value: world.response(null) };
    expect(locationOf(await world.post('/saml/acs', other)).pathname).toBe('/reports');
    expect(world.completed).toBe(2);
  });

  it('gets 503 if neither page nor session can be looked up', async () => {
    for (const fail of [
      (world: SamlWorld) => world.requests.failing.add('find'),
      (world: SamlWorld) => world.sessions.failing.add('isActive'),
    ]) {
      const { world, relayState } = await signedOn();
      fail(world);
      expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('503 agent_undecided');
      expect(world.refusals).toEqual(['store_unavailable']);
    }
  });

  it('is not recognised if the page could not be stored, which is logged and harms no sign-on', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.requests.failing.add('insert');
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
    expect(world.log()[0]).toBe(
      'warn a completed sign-on was not stored; its form will be refused if it is posted again',
    );
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('403 sign_on_refused');
    expect(world.faults()).toEqual([]);
  });
});

describe('the cookie of a finished sign-on', () => {
  const bound = (world: SamlWorld) => [...world.jar.cookies.keys()].filter((name) => name.includes('_signon_'));

  it('is cleared if its request no longer exists', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.requests.held.clear();
    await world.post('/saml/acs', form(relayState));
    expect(bound(world)).toEqual([]);
    nothingOpened(world);
  });

  it('is cleared if the assertion was already used', async () => {
    const world = worldOf();
    await world.signOn('/', { id: '_one' });
    await world.signOn('/', { id: '_one' });
    expect(world.refusals).toEqual(['replayed']);
    expect(bound(world)).toEqual([]);
  });

  it('stays if another sign-on of the browser is refused', async () => {
    const world = worldOf();
    await world.begin();
    const before = bound(world);
    await world.post('/saml/acs', form('b'.repeat(43)));
    expect(bound(world)).toEqual(before);
  });
});

describe('a sign-on with an undecidable response', () => {
  it.each(['overloaded', 'cancelled', 'verifier_failed'] as const)(
    'gets 503 if the verifier reports %s, and can be posted again',
    async (reason) => {
      const world = worldOf();
      const relayState = await world.await();
      const good = world.verifier.response;
      const held = [...world.requests.held];
      world.verifier.response = { ok: false, error: reason };
      expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('503 agent_undecided');
      expect(world.log()).toEqual([`warn sign-on could not be decided ${reason}`]);
      expect([...world.requests.held]).toEqual(held);
      nothingOpened(world);
      world.verifier.response = good;
      expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
      expect(world.requests.held.size).toBe(0);
    },
  );

  it('gets 503 if the identity provider is unknown, and can be posted again', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const { provider } = world;
    world.provider = null;
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('503 agent_undecided');
    expect(world.hurried).toBe(1);
    nothingOpened(world);
    world.provider = provider;
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
  });

  it('gets 503 if the request cannot be looked up', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.requests.failing.add('find');
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('503 agent_undecided');
    expect(world.refusals).toEqual(['store_unavailable']);
    expect(world.verifier.documents).toEqual([]);
    nothingOpened(world);
  });

  it('gets 503 if the request cannot be consumed, and can be posted again', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.requests.failing.add('take');
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('503 agent_undecided');
    expect(world.refusals).toEqual(['store_unavailable']);
    expect(world.replays.held.size).toBe(0);
    nothingOpened(world);
    world.requests.failing.delete('take');
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
  });

  it('gets 503 if the assertion cannot be stored, because it could be replayed', async () => {
    const world = worldOf();
    world.replays.failing.add('remember');
    const relayState = await world.await();
    const held = [...world.requests.held];
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('503 agent_undecided');
    expect(world.refusals).toEqual(['store_unavailable']);
    nothingOpened(world);
    // It was not taken, so it can be posted again.
    expect([...world.requests.held]).toEqual(held);
    world.replays.failing.clear();
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
    expect(world.requests.held.size).toBe(0);
  });

  it('gets 503 if neither the assertion nor the restored request can be stored', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.replays.failing.add('remember');
    world.requests.failing.add('insert');
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('503 agent_undecided');
    world.replays.failing.clear();
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['store_unavailable', 'unknown_request']);
    nothingOpened(world);
  });

  it('gets 503 and no cookie if the session cannot be stored', async () => {
    const world = worldOf();
    world.sessions.failing.add('open');
    const answer = await world.signOn();
    expect(refusalOf(answer)).toBe('503 agent_undecided');
    expect(setCookies(answer)).toEqual([]);
    expect(world.logger.lines[0]?.fields['detail']).toBe('the disk is gone');
    nothingOpened(world);
  });
});

describe('a sign-on initiated by the identity provider', () => {
  it('is accepted if allowed, and redirects to the root for any other RelayState', async () => {
    for (const relayState of ['', 'https://evil.example/', 'd'.repeat(43)]) {
      const world = worldOf({ options: { allowIdpInitiated: true } });
      world.verifier.response = { ok: true, value: world.response(null) };
      const answer = await world.post('/saml/acs', form(relayState));
      expect(locationOf(answer).href).toBe('https://app.example/');
      expect(world.sessions.held.size).toBe(1);
      expect(setCookies(answer)).toHaveLength(1);
    }
  });

  it('redirects to a page of this host in its RelayState', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    world.verifier.response = { ok: true, value: world.response(null) };
    const answer = await world.post('/saml/acs', form('/reports?year=2026'));
    expect(locationOf(answer).href).toBe('https://app.example/reports?year=2026');
  });

  it.each(['//evil.example', '/\\evil.example', '/\t/evil.example', 'https:/reports', 'reports', '/%0d%0aX: y'])(
    'ignores the RelayState %j',
    async (relayState) => {
      const world = worldOf({ options: { allowIdpInitiated: true } });
      world.verifier.response = { ok: true, value: world.response(null) };
      const location = locationOf(await world.post('/saml/acs', form(relayState)));
      expect(location.origin).toBe('https://app.example');
      expect(location.pathname).not.toContain('evil');
    },
  );

  it('without a NameID has no session that the provider can sign out', async () => {
    const world = worldOf({ options: { userIdAttribute: 'mail' } });
    await world.signOn('/', { nameId: null });
    expect([...world.sessions.held.values()][0]).toMatchObject({ userId: 'ann@example.com', logout: null });
    const answer = await world.get('/saml/logout');
    expect(answer.decision.kind).toBe('block');
    expect(world.sessions.held.size).toBe(0);
    expect(world.faults()).toEqual([]);
  });

  it('is refused if the response answers a request, even an unknown one', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    world.verifier.response = { ok: true, value: world.response('_a-request-of-somebody-else') };
    expect(refusalOf(await world.post('/saml/acs', form('')))).toBe('403 sign_on_refused');
    nothingOpened(world);
  });

  it('does not let another browser complete a sign-on that began here', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    const relayState = await world.await();
    await world.post('/saml/acs', form(relayState), []);
    expect(world.refusals).toEqual(['other_browser']);
    nothingOpened(world);
  });
});

describe('a cancelled sign-on', () => {
  const octets = (relayState: string) => new TextEncoder().encode(new URLSearchParams(form(relayState)).toString());
  /** Cancels as soon as a method is called. */
  const cancelIn = <Name extends string, Of extends Record<Name, (...given: never[]) => unknown>>(
    of: Of,
    name: Name,
    cancellation: CancellationSource,
  ) => {
    const original = of[name].bind(of) as (...given: unknown[]) => unknown;
    Object.assign(of, {
      [name]: (...given: unknown[]) => {
        cancellation.cancel();
        return original(...given);
      },
    });
  };
  const postOnce = (world: SamlWorld, relayState: string, cancellation: CancellationSource) =>
    world.postOctets('/saml/acs', octets(relayState), world.jar.header(), cancellation);

  it('cancels the verification of the document', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const cancellation = new CancellationSource();
    await postOnce(world, relayState, cancellation);
    expect(world.verifier.cancellations).toEqual([cancellation]);
  });

  it('stores and opens nothing if cancelled during verification, and can be posted again', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const cancellation = new CancellationSource();
    cancelIn(world.verifier, 'verifyResponse', cancellation);
    expect(refusalOf(await postOnce(world, relayState, cancellation))).toBe('503 agent_undecided');
    expect(world.replays.held.size).toBe(0);
    expect(world.requests.held.size).toBe(1);
    expect(world.refusals).toEqual(['cancelled']);
    nothingOpened(world);
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
  });

  it('stores nothing if cancelled while the request is consumed, and can be posted again', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const held = [...world.requests.held];
    const cancellation = new CancellationSource();
    cancelIn(world.requests, 'take', cancellation);
    expect(refusalOf(await postOnce(world, relayState, cancellation))).toBe('503 agent_undecided');
    expect(world.replays.held.size).toBe(0);
    expect([...world.requests.held]).toEqual(held);
    nothingOpened(world);
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
  });

  it('ends the new session if cancelled while the previous one ends', async () => {
    const world = worldOf();
    await world.signOn();
    const relayState = await world.await();
    const cancellation = new CancellationSource();
    cancelIn(world.sessions, 'end', cancellation);
    const answer = await postOnce(world, relayState, cancellation);
    expect(refusalOf(answer)).toBe('503 agent_undecided');
    expect(setCookies(answer)).toEqual([]);
    expect(world.sessions.held.size).toBe(0);
    expect([world.completed, world.refusals]).toEqual([1, ['cancelled']]);
  });

  it('opens nothing if cancelled while the assertion is stored', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const opened: unknown[] = [];
    const open = world.sessions.open.bind(world.sessions);
    world.sessions.open = (session) => {
      opened.push(session);
      return open(session);
    };
    const cancellation = new CancellationSource();
    cancelIn(world.replays, 'remember', cancellation);
    expect(refusalOf(await postOnce(world, relayState, cancellation))).toBe('503 agent_undecided');
    expect(opened).toEqual([]);
    nothingOpened(world);
  });

  it('ends the session if cancelled while it opens, and keeps the previous one', async () => {
    const world = worldOf();
    await world.signOn();
    const before = [...world.sessions.held.keys()];
    const relayState = await world.await();
    const cancellation = new CancellationSource();
    cancelIn(world.sessions, 'open', cancellation);
    expect(refusalOf(await postOnce(world, relayState, cancellation))).toBe('503 agent_undecided');
    expect([...world.sessions.held.keys()]).toEqual(before);
    expect(world.completed).toBe(1);
  });
});

describe('documents of one client', () => {
  it('are limited to five per request: the fifth refusal removes the request', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const good = world.verifier.response;
    world.verifier.response = { ok: false, error: 'wrong_signature' };
    for (let times = 0; times < 4; times += 1) await world.post('/saml/acs', form(relayState));
    expect(world.requests.held.size).toBe(1);
    // What the document says is its fault as well.
    world.verifier.response = { ok: true, value: world.response('_another') };
    await world.post('/saml/acs', form(relayState));
    expect(world.requests.held.size).toBe(0);
    world.verifier.response = good;
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('403 sign_on_refused');
    expect(world.refusals.slice(4)).toEqual(['wrong_in_response_to', 'unknown_request']);
    expect(world.verifier.documents).toHaveLength(5);
    nothingOpened(world);
  });

  it('count separately for each request', async () => {
    const world = worldOf();
    const first = await world.await();
    const second = await world.await();
    const good = world.verifier.response;
    world.verifier.response = { ok: false, error: 'wrong_signature' };
    for (let times = 0; times < 5; times += 1) await world.post('/saml/acs', form(first));
    world.verifier.response = good;
    expect(refusalOf(await world.post('/saml/acs', form(second)))).toBe('redirect');
  });

  it.each(['overloaded', 'cancelled', 'verifier_failed'] as const)('do not count if they are %s', async (reason) => {
    const world = worldOf();
    const relayState = await world.await();
    const good = world.verifier.response;
    world.verifier.response = { ok: false, error: reason };
    for (let times = 0; times < 6; times += 1) await world.post('/saml/acs', form(relayState));
    world.verifier.response = good;
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
  });

  it('do not count from another browser', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const [name] = [...world.jar.cookies.keys()];
    for (let times = 0; times < 6; times += 1) {
      await world.post('/saml/acs', form(relayState), ['cookie', `${name}=${'c'.repeat(43)}`]);
    }
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
  });

  it('are verified with limited concurrency; a further one gets an overload answer', async () => {
    const world = worldOf();
    const relayState = await world.await();
    let letGo = (): void => undefined;
    const verified = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { verifyResponse, verifyLogoutRequest } = world.verifier;
    world.verifier.verifyResponse = async (...given) => {
      await verified;
      return verifyResponse.apply(world.verifier, given);
    };
    world.verifier.verifyLogoutRequest = async (...given) => {
      await verified;
      return verifyLogoutRequest.apply(world.verifier, given);
    };
    const cookies = world.jar.header();
    const first = Array.from({ length: documentsOfGroup }, (_, index) =>
      index % 2 === 0
        ? world.post('/saml/acs', form(relayState), cookies)
        : world.post('/saml/logout', { SAMLRequest: 'YQ==' }),
    );
    // The store answers in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
    expect(refusalOf(await world.post('/saml/acs', form(relayState), cookies))).toBe('503 agent_undecided');
    expect(refusalOf(await world.post('/saml/logout', { SAMLRequest: 'YQ==' }))).toBe('503 agent_undecided');
    expect(world.refusals).toEqual(['overloaded', 'overloaded']);
    letGo();
    const answers = (await Promise.all(first)).map(refusalOf);
    expect(answers.filter((answer) => answer === 'redirect')).toHaveLength(1);
    expect(answers.filter((answer) => answer === '403 sign_on_refused')).toHaveLength(documentsOfGroup - 1);
    expect(world.sessions.held.size).toBe(1);
  });
});
