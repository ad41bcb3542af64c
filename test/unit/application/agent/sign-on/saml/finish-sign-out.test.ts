import { describe, expect, it } from 'vitest';
import type { LogoutResponse } from '../../../../../../src/domain/agent/saml/assertion.js';
import { locationOf, refusalOf, SamlWorld, setCookies } from '../../../../../support/agent/fake-saml-sign-on.js';

/** Ann has signed out here, and the identity provider sends a good answer. */
const awaitingAnswer = async (members: Partial<LogoutResponse> = {}) => {
  const world = new SamlWorld();
  await world.signOn();
  const relayState = locationOf(await world.get('/saml/logout')).searchParams.get('RelayState') ?? '';
  const [request] = [...world.requests.held.values()];
  world.verifier.logoutResponse = { ok: true, value: world.logoutResponse(request?.requestId ?? null, members) };
  world.logger.lines.splice(0);
  return { world, relayState };
};

const clearing = 'gateway_saml_session=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax';
const refusal = 'warn the identity provider did not confirm a sign-out';
const unawaited = 'warn sign-out refused unknown_request';

describe('a logout response of the identity provider', () => {
  it('is accepted by redirect or by post, once', async () => {
    for (const way of ['redirect', 'post']) {
      const { world, relayState } = await awaitingAnswer();
      const answer =
        way === 'post'
          ? await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState })
          : await world.get(`/saml/logout?SAMLResponse=YQ%3D%3D&RelayState=${relayState}`);
      expect(refusalOf(answer)).toBe('200');
      expect(setCookies(answer)).toEqual([clearing]);
      expect(world.log()).toEqual(['info sign-out completed']);
      expect(world.requests.held.size).toBe(0);
      const again = await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
      expect(refusalOf(again)).toBe('403 sign_on_refused');
      expect(world.log()).toEqual(['info sign-out completed', unawaited]);
      expect(world.faults()).toEqual([]);
    }
  });

  it.each([
    ['that it failed', { statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Responder'] }, 'failed_status'],
    ['something else', { inResponseTo: '_other' }, 'wrong_in_response_to'],
    ['in the name of another', { issuer: 'https://evil.example' }, 'wrong_issuer'],
    ['to somebody else', { destination: 'https://other.example/' }, 'wrong_destination'],
  ] as const)('%s: the browser is signed out here anyway, and it is logged', async (_, members, reason) => {
    const { world, relayState } = await awaitingAnswer(members);
    const answer = await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
    expect(refusalOf(answer)).toBe('200');
    expect(world.log()).toEqual([`${refusal} ${reason}`]);
    expect(world.faults()).toEqual([]);
  });

  it.each([
    [
      'its signature does not hold',
      (world: SamlWorld): void => {
        world.verifier.logoutResponse = { ok: false, error: 'wrong_signature' };
      },
      'wrong_signature',
    ],
    [
      'nothing is known of it any more',
      (world: SamlWorld): void => {
        world.provider = null;
      },
      'provider_unavailable',
    ],
    ['the store fails', (world: SamlWorld): void => void world.requests.failing.add('take'), 'store_unavailable'],
  ] as const)('has no effect if %s', async (_, spoil, reason) => {
    const { world, relayState } = await awaitingAnswer();
    spoil(world);
    const answer = await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
    expect(refusalOf(answer)).toBe('200');
    expect(world.log()).toEqual([`${refusal} ${reason}`]);
  });

  it('is not verified if unsolicited', async () => {
    const { world } = await awaitingAnswer();
    await world.post('/saml/logout', { SAMLResponse: 'YQ==' });
    await world.get('/saml/logout?SAMLResponse=YQ%3D%3D');
    expect(world.verifier.messages).toEqual([]);
    expect(world.requests.held.size).toBe(1);
    expect(world.log()).toEqual([unawaited, `${refusal} unknown_request`]);
  });

  it.each([
    ['that nobody waits for', 'x'],
    ['without a relay state', ''],
  ])('%s, which can be forged: by redirect the session ends before the browser gets the answer', async (_, made) => {
    const world = new SamlWorld();
    await world.signOn();
    const fields = { SAMLResponse: 'YQ==', RelayState: made };
    const answer = await world.get(`/saml/logout?${new URLSearchParams(fields)}`);
    expect(refusalOf(answer)).toBe('200');
    expect(setCookies(answer)).toEqual([clearing]);
    expect(world.sessions.held.size).toBe(0);
    expect(world.faults()).toEqual([]);
  });

  it.each([
    ['that nobody waits for', 'x'],
    ['without a relay state', ''],
  ])('%s, by post: reveals nothing about a session whose cookie the browser holds back', async (_, made) => {
    const world = new SamlWorld();
    await world.signOn();
    const answer = await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: made }, []);
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(setCookies(answer)).toEqual([]);
    expect(world.sessions.held.size).toBe(1);
    expect(world.log().at(-1)).toBe(unawaited);
    expect(world.faults()).toEqual([]);
  });

  it('is refused if late, by post', async () => {
    const { world, relayState } = await awaitingAnswer();
    world.clock.advance(300_000);
    const answer = await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
    expect(refusalOf(answer)).toBe('403 sign_on_refused');
    expect(world.log()).toEqual([unawaited]);
  });

  it('confirms nothing by post while the request cannot be looked up', async () => {
    const { world, relayState } = await awaitingAnswer();
    world.requests.failing.add('find');
    const answer = await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
    expect(refusalOf(answer)).toBe('503 agent_undecided');
    expect(setCookies(answer)).toEqual([]);
    expect(world.requests.held.size).toBe(1);
  });

  it('signs out a browser that has signed on again, and no other', async () => {
    const { world, relayState } = await awaitingAnswer();
    await world.signOn();
    world.jar.cookies.clear();
    await world.signOn();
    await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
    expect(world.sessions.held.size).toBe(1);
    expect(world.sessionCookie()).toBeUndefined();
  });

  it('is not confirmed while the session cannot be ended, and can be sent again', async () => {
    const { world, relayState } = await awaitingAnswer();
    const good = world.verifier.logoutResponse;
    await world.signOn();
    world.verifier.logoutResponse = good;
    world.logger.lines.splice(0);
    world.sessions.failing.add('end');
    const send = () => world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
    const answer = await send();
    expect(refusalOf(answer)).toBe('503 agent_undecided');
    expect(setCookies(answer)).toEqual([]);
    expect(world.log()).toEqual(['warn sign-out could not be decided store_unavailable']);
    world.sessions.failing.clear();
    expect(refusalOf(await send())).toBe('200');
    expect(world.log().slice(1)).toEqual(['info session ended by its user', 'info sign-out completed']);
    expect(world.sessions.held.size).toBe(0);
    expect(world.faults()).toEqual([]);
  });
});
