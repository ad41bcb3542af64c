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

describe('a sign-on for which the user has to be authenticated anew', () => {
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

  it('is refused where the user has been authenticated before it began', async () => {
    const world = worldOf({ options: { forceAuthn: true, clockSkewMs: 60_000 } });
    expect(refusalOf(await world.signOn('/', authenticated(world, 60_000)))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['authentication_not_fresh']);
    nothingOpened(world);
    expect((await world.signOn('/', authenticated(world, 59_999))).decision.kind).toBe('redirect');
  });

  it('is any where that is not asked for', async () => {
    const world = worldOf();
    expect((await world.signOn('/', authenticated(world, 3_600_000))).decision.kind).toBe('redirect');
  });
});

describe('a sign-on is completed', () => {
  it('with a session, its cookie, and the way back to the page that was asked for', async () => {
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
      details: {},
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

  it('and logged with the user and the beginning of the hash alone', async () => {
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

  it('with a page that goes on by itself where the cookie is SameSite Strict', async () => {
    const world = worldOf({ options: { cookie: { name: 's', secure: true, httpOnly: true, sameSite: 'Strict' } } });
    const answer = await world.signOn('/a?b=%22&c=<script>');
    expect(refusalOf(answer)).toBe('200');
    const { body, headers } = answer.decision as { body: string; headers: readonly string[] };
    expect(body).toContain('<meta http-equiv="refresh" content="0;url=/a?b=%22&amp;c=&lt;script&gt;">');
    expect(body).not.toContain('<script');
    expect(headers.join()).toContain("default-src 'none'");
    expect(setCookies(answer)[0]).toMatch(/^s=.{43}; .*SameSite=Strict$/);
    expect(world.faults()).toEqual([]);
  });

  it('with a session that ends when the identity provider says, and a cookie that ends with it', async () => {
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

  it('with the keys of the identity provider, and ours for what is encrypted', async () => {
    const world = worldOf({ key: spKey });
    await world.signOn();
    expect(world.verifier.documents).toEqual([postedDocument]);
    expect(world.verifier.keys).toEqual([{ signingCertificates: ['MIIB'], decryptionKey: spKey.decryptionKey }]);
  });

  it('and ends the session that the browser showed', async () => {
    const world = worldOf();
    await world.signOn();
    const before = world.sessionCookie() ?? '';
    await world.signOn();
    const after = world.sessionCookie() ?? '';
    expect(after).not.toBe(before);
    expect(world.sessions.of(before)).toBeUndefined();
    expect(world.sessions.held.size).toBe(1);
  });

  it('though the session that the browser showed cannot be ended, which is logged', async () => {
    const world = worldOf();
    await world.signOn();
    world.sessions.failing.add('end');
    await world.signOn();
    expect(world.sessions.held.size).toBe(2);
    expect(world.log()).toContain('warn the previous session could not be ended after a sign-on');
    expect(world.faults()).toEqual([]);
  });

  it('never with an id that the browser chose', async () => {
    const world = worldOf();
    const chosen = 'a'.repeat(43);
    world.jar.cookies.set('gateway_saml_session', chosen);
    await world.signOn();
    expect(world.sessionCookie()).not.toBe(chosen);
    expect(world.sessions.of(chosen)).toBeUndefined();
  });

  it('without a cookie of the browser that began, where browsers are not bound', async () => {
    const world = worldOf({ options: { browserBinding: false } });
    const relayState = await world.await();
    expect(locationOf(await world.post('/saml/acs', form(relayState), [])).pathname).toBe('/reports');
    expect(world.sessions.held.size).toBe(1);
  });
});

describe('a response is answered once', () => {
  it('of two posts of one document at once one opens a session', async () => {
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

  it('of two unsolicited posts of one document at once one opens a session', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    world.verifier.response = { ok: true, value: world.response(null) };
    const answers = await Promise.all([world.post('/saml/acs', form('')), world.post('/saml/acs', form(''))]);
    expect(answers.map(refusalOf).toSorted()).toEqual(['403 sign_on_refused', 'redirect']);
    expect(world.refusals).toEqual(['replayed']);
    expect(world.sessions.held.size).toBe(1);
  });

  it('an assertion that was taken is refused for another request of the same browser', async () => {
    const world = worldOf();
    await world.signOn('/', { id: '_one' });
    const answer = await world.signOn('/', { id: '_one' });
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['replayed']);
    expect(world.sessions.held.size).toBe(1);
  });

  it('a document that is refused leaves the request to the answer that is meant for it', async () => {
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
  it.each(documentRejections)('where the document is refused for %s, which the client is not told', async (reason) => {
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

  it('where the response is for another request', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.verifier.response = { ok: true, value: world.response('_another') };
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['wrong_in_response_to']);
    expect(world.replays.held.size).toBe(0);
    nothingOpened(world);
  });

  it('where nobody asked', async () => {
    const world = worldOf();
    await world.await();
    world.verifier.response = { ok: true, value: world.response(null) };
    expect(refusalOf(await world.post('/saml/acs', { SAMLResponse: postedDocument }))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['unsolicited']);
    expect(world.verifier.documents).toEqual([]);
    nothingOpened(world);
  });

  it.each(['https://evil.example/', 'x', 'b'.repeat(43)])(
    'where no request goes by the RelayState %s',
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

  it('where the request is over', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.clock.advance(300_000);
    await world.post('/saml/acs', form(relayState));
    expect(world.refusals).toEqual(['unknown_request']);
    nothingOpened(world);
  });

  it('where the RelayState is of a sign-out', async () => {
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
  ])('where another browser, that %s, ends it', async (_, cookiesOf) => {
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

  it('where the request was remembered before browsers were bound', async () => {
    const world = worldOf();
    const relayState = await world.await();
    for (const [hash, request] of world.requests.held) world.requests.held.set(hash, { ...request, bindingHash: null });
    await world.post('/saml/acs', form(relayState));
    expect(world.refusals).toEqual(['other_browser']);
    nothingOpened(world);
  });

  it('where the session would be over before it begins: the browser would go round in circles', async () => {
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
  ])('where the form has %s', async (_, text) => {
    const world = worldOf();
    await world.await();
    const answer = await world.postOctets('/saml/acs', new TextEncoder().encode(text));
    expect(refusalOf(answer)).toBe('400 sign_on_malformed');
    expect(world.refusals).toEqual(['malformed_form']);
    expect(world.requests.held.size).toBe(1);
    nothingOpened(world);
  });
});

describe('a form that is posted again', () => {
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

  it('leads to its page where the browser has a session, and opens none', async () => {
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

  it('leads to its page where the browser holds its cookies back, as the form comes from another site', async () => {
    const { world, relayState } = await signedOn();
    const answer = await world.post('/saml/acs', form(relayState), ['sec-fetch-site', 'cross-site']);
    expect(outcomeOf(answer)).toEqual(replayed);
    expect(setCookies(answer)).toEqual([]);
    expect(world.sessions.held.size).toBe(1);
  });

  it('gets a page that goes on by itself where the cookie is SameSite Strict', async () => {
    const cookie = { name: 's', secure: true, httpOnly: true, sameSite: 'Strict' } as const;
    const { world, relayState } = await signedOn({ options: { cookie } });
    const answer = await world.post('/saml/acs', form(relayState), ['sec-fetch-site', 'cross-site']);
    expect(answer.decision).toMatchObject({ status: 200, body: expect.stringContaining('url=/reports?year=2026') });
  });

  it.each([
    ['it signed out', async (world: SamlWorld) => void (await world.get('/saml/logout'))],
    ['its session has ended', async (world: SamlWorld) => world.sessions.held.clear()],
  ])('gets a page with a link to begin anew where %s', async (_, end) => {
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

  it('is refused unread by a browser that has nothing of it', async () => {
    const { world, relayState } = await signedOn();
    const answer = await world.post('/saml/acs', form(relayState), []);
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(JSON.stringify(answer)).not.toContain('reports');
    expect(world.refusals).toEqual(['other_browser']);
  });

  it('with another document for the same request leads there where that is in order, and opens no session', async () => {
    const { world, relayState } = await signedOn();
    const other = { SAMLResponse: 'QW5vdGhlciBkb2N1bWVudA', RelayState: relayState };
    expect(outcomeOf(await world.post('/saml/acs', other))).toEqual(replayed);
    expect(world.verifier.documents).toHaveLength(2);
    expect(world.sessions.held.size).toBe(1);
    expect(world.replays.held.size).toBe(1);
  });

  it('with a document that somebody made up learns nothing, and after five the page is forgotten', async () => {
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

  it('is refused as any other once its page is forgotten after an hour', async () => {
    const { world, relayState } = await signedOn();
    world.clock.advance(3_600_000);
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['unknown_request']);
  });

  it('leads to its page where the identity provider began, too', async () => {
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

  it('is answered with 503 where neither page nor session can be looked for', async () => {
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

  it('is not recognised where that could not be stored, which is logged and harms no sign-on', async () => {
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

describe('the cookie of a sign-on that is over', () => {
  const bound = (world: SamlWorld) => [...world.jar.cookies.keys()].filter((name) => name.includes('_signon_'));

  it('is taken back where the request is not there any more', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.requests.held.clear();
    await world.post('/saml/acs', form(relayState));
    expect(bound(world)).toEqual([]);
    nothingOpened(world);
  });

  it('is taken back where the assertion was used before', async () => {
    const world = worldOf();
    await world.signOn('/', { id: '_one' });
    await world.signOn('/', { id: '_one' });
    expect(world.refusals).toEqual(['replayed']);
    expect(bound(world)).toEqual([]);
  });

  it('stays where another sign-on of the same browser is refused', async () => {
    const world = worldOf();
    await world.begin();
    const before = bound(world);
    await world.post('/saml/acs', form('b'.repeat(43)));
    expect(bound(world)).toEqual(before);
  });
});

describe('a sign-on that cannot be decided', () => {
  it.each(['overloaded', 'cancelled', 'verifier_failed'] as const)(
    'is answered with 503 where the verifier says %s, and can be posted again',
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

  it('is answered with 503 where nothing is known of the identity provider, and can be posted again', async () => {
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

  it('is answered with 503 where the request cannot be looked for', async () => {
    const world = worldOf();
    const relayState = await world.await();
    world.requests.failing.add('find');
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('503 agent_undecided');
    expect(world.refusals).toEqual(['store_unavailable']);
    expect(world.verifier.documents).toEqual([]);
    nothingOpened(world);
  });

  it('is answered with 503 where the request cannot be taken, and can be posted again', async () => {
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

  it('is answered with 503 where the assertion cannot be remembered: it could be replayed', async () => {
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

  it('is answered with 503 where neither the assertion nor the request again can be remembered', async () => {
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

  it('is answered with 503, and no cookie, where the session cannot be stored', async () => {
    const world = worldOf();
    world.sessions.failing.add('open');
    const answer = await world.signOn();
    expect(refusalOf(answer)).toBe('503 agent_undecided');
    expect(setCookies(answer)).toEqual([]);
    expect(world.logger.lines[0]?.fields['detail']).toBe('the disk is gone');
    nothingOpened(world);
  });
});

describe('a sign-on that the identity provider began', () => {
  it('is taken where it may, and leads to the beginning, whatever the RelayState says', async () => {
    for (const relayState of ['', 'https://evil.example/', 'd'.repeat(43)]) {
      const world = worldOf({ options: { allowIdpInitiated: true } });
      world.verifier.response = { ok: true, value: world.response(null) };
      const answer = await world.post('/saml/acs', form(relayState));
      expect(locationOf(answer).href).toBe('https://app.example/');
      expect(world.sessions.held.size).toBe(1);
      expect(setCookies(answer)).toHaveLength(1);
    }
  });

  it('leads to the page that its RelayState names on this host', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    world.verifier.response = { ok: true, value: world.response(null) };
    const answer = await world.post('/saml/acs', form('/reports?year=2026'));
    expect(locationOf(answer).href).toBe('https://app.example/reports?year=2026');
  });

  it.each(['//evil.example', '/\\evil.example', '/\t/evil.example', 'https:/reports', 'reports', '/%0d%0aX: y'])(
    'leads nowhere else where its RelayState is %j',
    async (relayState) => {
      const world = worldOf({ options: { allowIdpInitiated: true } });
      world.verifier.response = { ok: true, value: world.response(null) };
      const location = locationOf(await world.post('/saml/acs', form(relayState)));
      expect(location.origin).toBe('https://app.example');
      expect(location.pathname).not.toContain('evil');
    },
  );

  it('has no session that a sign-out at the provider would name, where it gave no NameID', async () => {
    const world = worldOf({ options: { userIdAttribute: 'mail' } });
    await world.signOn('/', { nameId: null });
    expect([...world.sessions.held.values()][0]).toMatchObject({ userId: 'ann@example.com', logout: null });
    const answer = await world.get('/saml/logout');
    expect(answer.decision.kind).toBe('block');
    expect(world.sessions.held.size).toBe(0);
    expect(world.faults()).toEqual([]);
  });

  it('is refused where the response answers a request, though nobody knows of it', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    world.verifier.response = { ok: true, value: world.response('_a-request-of-somebody-else') };
    expect(refusalOf(await world.post('/saml/acs', form('')))).toBe('403 sign_on_refused');
    nothingOpened(world);
  });

  it('does not open the way for another browser to end a sign-on that began here', async () => {
    const world = worldOf({ options: { allowIdpInitiated: true } });
    const relayState = await world.await();
    await world.post('/saml/acs', form(relayState), []);
    expect(world.refusals).toEqual(['other_browser']);
    nothingOpened(world);
  });
});

describe('a sign-on that nobody waits for any more', () => {
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

  it('tells whoever verifies the document', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const cancellation = new CancellationSource();
    await postOnce(world, relayState, cancellation);
    expect(world.verifier.cancellations).toEqual([cancellation]);
  });

  it('remembers and opens nothing where that ends while the document is verified, and can be posted again', async () => {
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

  it('remembers nothing where that ends while the request is taken, and can be posted again', async () => {
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

  it('ends the new session too where that ends while the one before is ended', async () => {
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

  it('opens nothing where that ends while the assertion is remembered', async () => {
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

  it('ends the session where that ends while it is opened, and leaves the one before', async () => {
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
  it('are five at most for one request: the fifth that is refused takes it away', async () => {
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

  it('count for another request of their own', async () => {
    const world = worldOf();
    const first = await world.await();
    const second = await world.await();
    const good = world.verifier.response;
    world.verifier.response = { ok: false, error: 'wrong_signature' };
    for (let times = 0; times < 5; times += 1) await world.post('/saml/acs', form(first));
    world.verifier.response = good;
    expect(refusalOf(await world.post('/saml/acs', form(second)))).toBe('redirect');
  });

  it.each(['overloaded', 'cancelled', 'verifier_failed'] as const)('count not where they are %s', async (reason) => {
    const world = worldOf();
    const relayState = await world.await();
    const good = world.verifier.response;
    world.verifier.response = { ok: false, error: reason };
    for (let times = 0; times < 6; times += 1) await world.post('/saml/acs', form(relayState));
    world.verifier.response = good;
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
  });

  it('count not where another browser brings them', async () => {
    const world = worldOf();
    const relayState = await world.await();
    const [name] = [...world.jar.cookies.keys()];
    for (let times = 0; times < 6; times += 1) {
      await world.post('/saml/acs', form(relayState), ['cookie', `${name}=${'c'.repeat(43)}`]);
    }
    expect(refusalOf(await world.post('/saml/acs', form(relayState)))).toBe('redirect');
  });

  it('are verified so many at a time, whatever they are; the next one is overloaded', async () => {
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
