import { describe, expect, it } from 'vitest';
import { sessionAuthentication } from '../../../../../../src/domain/agent/sessions/session-authentication.js';
import {
  locationOf,
  postedDocument,
  refusalOf,
  SamlWorld,
  type SamlWorldOptions,
} from '../../../../../support/agent/fake-saml-sign-on.js';
import { required } from '../../../../../support/agent/step-up-rules-of.js';

const mfa = 'urn:mfa';
const password = 'urn:password';

const worldOf = (options: SamlWorldOptions['options'] = {}) =>
  new SamlWorld({
    options: { clockSkewMs: 1_000, ...options },
    requiredPaths: [
      { path: '/admin', ...required({ provider: 'saml', acrValues: [mfa, 'urn:key'], maxAgeSecs: 300 }) },
      { path: '/strong', ...required({ acrValues: [mfa] }) },
      { path: '/corp', ...required({ provider: 'corp', acrValues: [mfa], maxAgeSecs: 1 }) },
    ],
  });

const authenticated = (world: SamlWorld, contextClass: string | null, agoMs = 0) => ({
  authentication: [
    { authnInstantMs: world.clock.wallMs() - agoMs, sessionIndex: '_i', sessionNotOnOrAfterMs: null, contextClass },
  ],
});

const requestFor = async (world: SamlWorld, page: string): Promise<string> => {
  const location = locationOf(await world.begin(page));
  return Buffer.from(location.searchParams.get('SAMLRequest') ?? '', 'base64').toString();
};

const contextsIn = (xml: string): readonly string[] =>
  [...xml.matchAll(/AuthnContextClassRef[^>]*>([^<]+)</g)].map(([, context = '']) => context);

describe('an AuthnRequest for a page that requires more of a session', () => {
  it('asks for a new authentication in one of its contexts', async () => {
    const xml = await requestFor(worldOf(), '/admin/x?y=1');
    expect(xml).toContain('ForceAuthn="true"');
    expect(xml).toContain('Comparison="exact"');
    expect(contextsIn(xml)).toEqual([mfa, 'urn:key']);
  });

  it('forces no authentication unless the page has a maximum age', async () => {
    const xml = await requestFor(worldOf(), '/strong');
    expect(xml).not.toContain('ForceAuthn');
    expect(contextsIn(xml)).toEqual([mfa]);
  });

  it('asks for the contexts that both the page and the block accept', async () => {
    const world = worldOf({ authnContexts: [password, 'urn:key'] });
    expect(contextsIn(await requestFor(world, '/admin'))).toEqual(['urn:key']);
    expect(contextsIn(await requestFor(world, '/'))).toEqual([password, 'urn:key']);
  });

  it('is the usual one for a page that other providers open', async () => {
    const xml = await requestFor(worldOf(), '/corp');
    expect(xml).not.toContain('ForceAuthn');
    expect(contextsIn(xml)).toEqual([]);
  });
});

describe('a response for a page that requires more of a session', () => {
  it('opens a session that meets it', async () => {
    const world = worldOf();
    const answer = await world.signOn('/admin/x', authenticated(world, mfa, 300_500));
    expect(answer.decision).toMatchObject({ kind: 'redirect', url: '/admin/x' });
    const session = world.sessions.of(world.sessionCookie() ?? '');
    expect(session && sessionAuthentication(session)).toEqual({
      providerName: 'saml',
      acr: mfa,
      authenticatedMs: world.clock.wallMs() - 300_500,
    });
  });

  it('keeps the time and the context of the same statement', async () => {
    const world = worldOf();
    const { authentication: weak } = authenticated(world, password, 5_000);
    const { authentication: strong } = authenticated(world, mfa, 9_000);
    await world.signOn('/strong', { authentication: [...weak, ...strong] });
    const session = world.sessions.of(world.sessionCookie() ?? '');
    expect(session && sessionAuthentication(session)).toMatchObject({
      acr: mfa,
      authenticatedMs: world.clock.wallMs() - 9_000,
    });
  });

  it.each<[string, string | null, number, string]>([
    ['another context', password, 0, 'wrong_authentication_context'],
    ['no context', null, 0, 'wrong_authentication_context'],
    ['an old authentication', mfa, 301_000, 'authentication_not_fresh'],
  ])('with %s gets 403 after one round, and leaves the session as it is', async (_, context, agoMs, reason) => {
    const world = worldOf();
    await world.signOn('/', authenticated(world, password));
    const before = world.sessionCookie();
    const answer = await world.signOn('/admin', authenticated(world, context, agoMs));
    expect(refusalOf(answer)).toBe('403 step_up_failed');
    expect(world.refusals).toEqual([reason]);
    expect(world.sessionCookie()).toBe(before);
    expect(world.sessions.held.size).toBe(1);
    expect(world.faults()).toEqual([]);
  });

  it('is refused as before if only the block requires it', async () => {
    const world = worldOf({ authnContexts: [mfa] });
    expect(refusalOf(await world.signOn('/', authenticated(world, password)))).toBe('403 sign_on_refused');
  });
});

describe('an unsolicited response', () => {
  it('opens a session whatever its page requires, and without a mark of a round', async () => {
    const world = worldOf({ allowIdpInitiated: true });
    world.verifier.response = { ok: true, value: world.response(null, authenticated(world, password)) };
    const answer = await world.post('/saml/acs', { SAMLResponse: postedDocument, RelayState: '/admin' });
    expect(answer.decision).toMatchObject({ kind: 'redirect', url: '/admin' });
    const session = world.sessions.of(world.sessionCookie() ?? '');
    expect(Object.keys(session?.details ?? {}).toSorted()).toEqual(['acr', 'auth_time_ms', 'provider_name']);
  });
});
