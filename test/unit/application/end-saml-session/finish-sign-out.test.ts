import { describe, expect, it } from 'vitest';
import type { LogoutResponse } from '../../../../src/domain/saml/logout-message.js';
import { locationOf, refusalOf, SamlWorld, setCookies } from '../../../support/fake-saml-sign-on.js';

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

const refusal = 'warn the identity provider has not confirmed a sign-out';

describe('the identity provider answers a sign-out', () => {
  it('by redirect or by post, once', async () => {
    for (const way of ['redirect', 'post']) {
      const { world, relayState } = await awaitingAnswer();
      const answer =
        way === 'post'
          ? await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState })
          : await world.get(`/saml/logout?SAMLResponse=YQ%3D%3D&RelayState=${relayState}`);
      expect(refusalOf(answer)).toBe('200');
      expect(setCookies(answer)).toEqual([]);
      expect(world.log()).toEqual(['info sign-out completed']);
      expect(world.requests.held.size).toBe(0);
      await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
      expect(world.log()).toEqual(['info sign-out completed', `${refusal} unknown_request`]);
      expect(world.faults()).toEqual([]);
    }
  });

  it.each([
    ['that it failed', { statusCodes: ['urn:oasis:names:tc:SAML:2.0:status:Responder'] }, 'failed_status'],
    ['something else', { inResponseTo: '_other' }, 'wrong_in_response_to'],
    ['in the name of another', { issuer: 'https://evil.example' }, 'wrong_issuer'],
    ['to somebody else', { destination: 'https://other.example/' }, 'wrong_destination'],
  ] as const)('%s: the browser is signed out here all the same, and it is logged', async (_, members, reason) => {
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
    ['it took too long', (world: SamlWorld): void => world.clock.advance(300_000), 'unknown_request'],
  ] as const)('to no avail where %s', async (_, spoil, reason) => {
    const { world, relayState } = await awaitingAnswer();
    spoil(world);
    const answer = await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
    expect(refusalOf(answer)).toBe('200');
    expect(world.log()).toEqual([`${refusal} ${reason}`]);
  });

  it('nobody asked for: nothing is verified', async () => {
    const { world } = await awaitingAnswer();
    await world.post('/saml/logout', { SAMLResponse: 'YQ==' });
    expect(world.verifier.messages).toEqual([]);
    expect(world.requests.held.size).toBe(1);
    expect(world.log()).toEqual([`${refusal} unknown_request`]);
  });

  it('ends no session, of whomever', async () => {
    const { world, relayState } = await awaitingAnswer();
    await world.signOn();
    await world.post('/saml/logout', { SAMLResponse: 'YQ==', RelayState: relayState });
    expect(world.sessions.held.size).toBe(1);
    expect(world.sessionCookie()).toBeDefined();
  });
});
