import { describe, expect, it } from 'vitest';
import type { LogoutRequest } from '../../../../../../src/domain/agent/saml/assertion.js';
import { documentRejections } from '../../../../../../src/domain/agent/saml/document-rejection.js';
import {
  locationOf,
  refusalOf,
  SamlWorld,
  type SamlWorldOptions,
  setCookies,
  spKey,
} from '../../../../../support/agent/fake-saml-sign-on.js';

/** Ann is signed in, and the verifier finds a good LogoutRequest for her in whatever comes. */
const askedToEnd = async (members: Partial<LogoutRequest> = {}, options: SamlWorldOptions = {}) => {
  const world = new SamlWorld(options);
  await world.signOn();
  world.logger.lines.splice(0);
  world.replays.held.clear();
  world.verifier.logoutRequest = { ok: true, value: world.logoutRequest(members) };
  return world;
};

const signedUri = '/saml/logout?SAMLRequest=a%2Bb&RelayState=r%20s&SigAlg=alg%3A1&Signature=c2ln%3D';
const form = { SAMLRequest: 'cmVxdWVzdA==', RelayState: 'r s' };

const ways: readonly (readonly [string, (world: SamlWorld) => ReturnType<SamlWorld['get']>])[] = [
  ['by redirect', (world) => world.get(signedUri)],
  ['by post', (world) => world.post('/saml/logout', form)],
];

describe.each(ways)('a LogoutRequest of the identity provider %s', (_, send) => {
  it('ends the named sessions, and is answered', async () => {
    const world = await askedToEnd({}, { key: spKey });
    const answer = await send(world);
    expect(world.sessions.held.size).toBe(0);
    const location = locationOf(answer);
    expect(location.origin + location.pathname).toBe('https://idp.example/slo');
    expect([...location.searchParams.keys()]).toEqual(['SAMLResponse', 'RelayState', 'SigAlg', 'Signature']);
    expect(location.searchParams.get('RelayState')).toBe('r s');
    const xml = Buffer.from(location.searchParams.get('SAMLResponse') ?? '', 'base64').toString();
    const request = world.verifier.logoutRequest;
    expect(xml).toContain(`InResponseTo="${request.ok ? request.value.id : ''}"`);
    expect(xml).toContain('status:Success');
    expect(setCookies(answer)[0]).toContain('gateway_saml_session=; Path=/; Max-Age=0');
    expect(world.logger.lines).toEqual([
      {
        level: 'info',
        message: 'sessions ended by the identity provider',
        fields: { sessions: 1, trace_id: expect.any(String), correlation_id: expect.any(String) },
      },
    ]);
    expect(world.faults()).toEqual([]);
  });

  it.each(documentRejections)('ends nothing if it is refused for %s', async (reason) => {
    const world = await askedToEnd();
    world.verifier.logoutRequest = { ok: false, error: reason };
    const answer = await send(world);
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(setCookies(answer)).toEqual([]);
    expect(world.sessions.held.size).toBe(1);
    expect(world.replays.held.size).toBe(0);
    expect(world.log()).toEqual([`warn sign-out refused ${reason}`]);
    expect(world.faults()).toEqual([]);
  });

  it.each([
    ['of another issuer', { issuer: 'https://evil.example' }, 'wrong_issuer'],
    ['for somebody else', { destination: 'https://other.example/saml/logout' }, 'wrong_destination'],
    ['for nobody in particular', { destination: null }, 'wrong_destination'],
    ['that is old', { issueInstantMs: 1_700_000_000_000 }, 'issued_too_long_ago'],
    ['that is over', { notOnOrAfterMs: 1_700_000_000_000 }, 'expired'],
  ] as const)('ends nothing if it is one %s', async (__, members, reason) => {
    const world = await askedToEnd(members);
    expect(refusalOf(await send(world))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual([reason]);
    expect(world.sessions.held.size).toBe(1);
    expect(world.replays.held.size).toBe(0);
  });

  it('ends nothing when repeated, in particular no sessions that began later', async () => {
    const world = await askedToEnd();
    await send(world);
    await world.signOn();
    expect(refusalOf(await send(world))).toBe('403 sign_on_refused');
    expect(world.refusals).toEqual(['replayed']);
    expect(world.sessions.held.size).toBe(1);
  });

  it('is processed once if two arrive concurrently', async () => {
    const world = await askedToEnd();
    const answers = await Promise.all([send(world), send(world)]);
    expect(answers.map(refusalOf).toSorted()).toEqual(['403 sign_on_refused', 'redirect']);
  });

  it.each(['overloaded', 'verifier_failed'] as const)('gets 503 if the verifier reports %s', async (reason) => {
    const world = await askedToEnd();
    world.verifier.logoutRequest = { ok: false, error: reason };
    expect(refusalOf(await send(world))).toBe('503 agent_undecided');
    expect(world.sessions.held.size).toBe(1);
  });

  it('gets 503 if the identity provider is unknown', async () => {
    const world = await askedToEnd();
    world.provider = null;
    expect(refusalOf(await send(world))).toBe('503 agent_undecided');
    expect(world.refusals).toEqual(['provider_unavailable']);
    expect(world.sessions.held.size).toBe(1);
  });

  it('ends the sessions when it comes again after the process died or the store failed', async () => {
    const world = await askedToEnd();
    world.sessions.failing.add('endOfSubject');
    expect(refusalOf(await send(world))).toBe('503 agent_undecided');
    expect(world.sessions.held.size).toBe(1);
    world.sessions.failing.clear();
    expect(refusalOf(await send(world))).toBe('redirect');
    expect(world.sessions.held.size).toBe(0);
    expect(refusalOf(await send(world))).toBe('403 sign_on_refused');
  });

  it('gets 503 if it cannot be stored, or sessions cannot be ended', async () => {
    const unknowing = await askedToEnd();
    unknowing.replays.failing.add('has');
    expect(refusalOf(await send(unknowing))).toBe('503 agent_undecided');
    expect(unknowing.sessions.held.size).toBe(1);
    const forgetful = await askedToEnd();
    forgetful.replays.failing.add('remember');
    expect(refusalOf(await send(forgetful))).toBe('503 agent_undecided');
    expect(forgetful.sessions.held.size).toBe(0);
    const stuck = await askedToEnd();
    stuck.sessions.failing.add('endOfSubject');
    const answer = await send(stuck);
    expect(refusalOf(answer)).toBe('503 agent_undecided');
    expect(setCookies(answer)).toEqual([]);
    expect(stuck.logger.lines[0]?.fields['detail']).toBe('the disk is gone');
    expect([...unknowing.faults(), ...forgetful.faults(), ...stuck.faults()]).toEqual([]);
  });
});

describe('the browser that carries a LogoutRequest', () => {
  it('keeps the cookie of a session that was not ended', async () => {
    const world = await askedToEnd({ sessionIndexes: ['index-2'] });
    const answer = await world.get(signedUri);
    expect(locationOf(answer).pathname).toBe('/slo');
    expect(setCookies(answer)).toEqual([]);
    expect(world.sessions.of(world.sessionCookie() ?? '')).toBeDefined();
  });

  it('gets no confirmation if it is not signed out', async () => {
    const world = await askedToEnd({ sessionIndexes: ['index-2'] }, { options: { signedOutPath: '/bye' } });
    world.provider = { ...(world.provider as NonNullable<typeof world.provider>), logout: null };
    const answer = await world.post('/saml/logout', form);
    expect(refusalOf(answer)).toBe('200');
    expect(JSON.stringify(answer.decision)).not.toContain('igned out');
    expect(setCookies(answer)).toEqual([]);
    expect(world.faults()).toEqual([]);
  });

  it('loses the cookie if it shows none, because it may hold it back', async () => {
    const world = await askedToEnd();
    const answer = await world.post('/saml/logout', form, []);
    expect(setCookies(answer)[0]).toContain('gateway_saml_session=; Path=/; Max-Age=0');
  });
});

describe('the answer to a LogoutRequest', () => {
  it('goes to the response location', async () => {
    const world = await askedToEnd();
    world.provider = {
      ...(world.provider as NonNullable<typeof world.provider>),
      logout: { location: 'https://idp.example/slo', responseLocation: 'https://idp.example/slo/answers' },
    };
    const location = locationOf(await world.get(signedUri));
    expect(location.pathname).toBe('/slo/answers');
    const xml = Buffer.from(location.searchParams.get('SAMLResponse') ?? '', 'base64').toString();
    expect(xml).toContain('Destination="https://idp.example/slo/answers"');
  });

  it('is a page if the identity provider accepts no response', async () => {
    const world = await askedToEnd();
    world.provider = { ...(world.provider as NonNullable<typeof world.provider>), logout: null };
    const answer = await world.post('/saml/logout', form);
    expect(refusalOf(answer)).toBe('200');
    expect(setCookies(answer)[0]).toContain('Max-Age=0');
    expect(world.sessions.held.size).toBe(0);
  });

  it('has no RelayState if none was sent', async () => {
    const world = await askedToEnd();
    const location = locationOf(await world.post('/saml/logout', { SAMLRequest: 'cmVxdWVzdA==' }));
    expect([...location.searchParams.keys()]).toEqual(['SAMLResponse']);
  });
});

describe('the subject of a LogoutRequest', () => {
  it('is one session of the user, or all of them', async () => {
    const world = await askedToEnd({ sessionIndexes: ['index-2'] });
    await world.get(signedUri);
    expect(world.sessions.held.size).toBe(1);
    world.verifier.logoutRequest = { ok: true, value: world.logoutRequest({ sessionIndexes: [] }) };
    await world.get(signedUri);
    expect(world.sessions.held.size).toBe(0);
  });

  it('is verified over the received octets', async () => {
    const world = await askedToEnd();
    await world.get(signedUri);
    await world.post('/saml/logout', form);
    expect(world.verifier.messages).toEqual([
      {
        binding: 'redirect',
        message: 'a%2Bb',
        relayState: 'r%20s',
        signature: { algorithm: 'alg%3A1', value: 'c2ln%3D' },
      },
      { binding: 'post', encoded: 'cmVxdWVzdA==' },
    ]);
  });
});
