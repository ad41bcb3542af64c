import { describe, expect, it } from 'vitest';
import {
  locationOf,
  refusalOf,
  SamlWorld,
  type SamlWorldOptions,
  setCookies,
  spKey,
} from '../../../../../support/agent/fake-saml-sign-on.js';

const clearing = 'gateway_saml_session=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax';

const signedIn = async (options: SamlWorldOptions = {}) => {
  const world = new SamlWorld(options);
  await world.signOn();
  world.logger.lines.splice(0);
  return world;
};

const name = 'gateway_saml_session';

/** So many sessions, as of browsers that know nothing of each other; their ids. */
const manySessions = async (count: number) => {
  const world = new SamlWorld();
  const shown: string[] = [];
  for (let index = 0; index < count; index += 1) {
    world.jar.cookies.clear();
    await world.signOn();
    shown.push(world.sessionCookie() ?? '');
  }
  world.logger.lines.splice(0);
  return { world, shown };
};

describe('a user sign-out', () => {
  it('ends the session here, and at the identity provider through the browser', async () => {
    const world = await signedIn();
    const sessionId = world.sessionCookie() ?? '';
    const answer = await world.get('/saml/logout');
    const location = locationOf(answer);
    expect(location.origin + location.pathname).toBe('https://idp.example/slo');
    const [request] = [...world.requests.held.values()];
    const xml = Buffer.from(location.searchParams.get('SAMLRequest') ?? '', 'base64').toString();
    expect(xml).toContain(`ID="${request?.requestId}"`);
    expect(xml).toContain('>ann@idp<');
    expect(xml).toContain('>index-1<');
    expect(request).toMatchObject({
      kind: 'sign_out',
      handleHash: world.digest.sha256Hex(location.searchParams.get('RelayState') ?? ''),
      bindingHash: null,
    });
    expect(world.sessions.of(sessionId)).toBeUndefined();
    expect(setCookies(answer)).toEqual([clearing]);
    expect(world.logger.lines).toEqual([
      {
        level: 'info',
        message: 'session ended by its user',
        fields: {
          user: 'ann@idp',
          session: world.digest.sha256Hex(sessionId).slice(0, 12),
          trace_id: 'c-3',
          correlation_id: 'c-3',
        },
      },
    ]);
    expect(world.faults()).toEqual([]);
  });

  it('sends a signed request if there is a key', async () => {
    const location = locationOf(await (await signedIn({ key: spKey })).get('/saml/logout'));
    expect([...location.searchParams.keys()]).toEqual(['SAMLRequest', 'RelayState', 'SigAlg', 'Signature']);
  });

  it('ends a session of another method only here, whatever its provider is called', async () => {
    const world = await signedIn();
    const [session] = [...world.sessions.held.values()];
    if (session === undefined) throw new Error('no session');
    world.sessions.held.set(session.idHash, { ...session, method: 'oidc' });
    const { decision, audit } = await world.get('/saml/logout');
    expect(decision).toMatchObject({ kind: 'block', status: 200, body: expect.stringContaining('You are signed out') });
    expect(audit.custom).toMatchObject({ auth_method: 'oidc', outcome: 'succeeded' });
    expect(world.sessions.held.size).toBe(0);
    expect(world.requests.held.size).toBe(0);
  });

  it('ends only the local session if the provider has no logout, is unknown or has changed', async () => {
    const world = await signedIn();
    const { provider } = world;
    if (provider === null) throw new Error('no provider');
    const others = [{ ...provider, logout: null }, null, { ...provider, entityId: 'https://other.example' }];
    for (const other of others) {
      world.provider = provider;
      await world.signOn();
      world.provider = other;
      const answer = await world.get('/saml/logout');
      expect(refusalOf(answer)).toBe('200');
      expect(setCookies(answer)).toEqual([clearing]);
      expect(world.sessions.held.size).toBe(0);
      expect(world.requests.held.size).toBe(0);
    }
    expect(world.faults()).toEqual([]);
  });

  it('returns a page without scripts and loads, or redirects to the application', async () => {
    const { decision } = await new SamlWorld().get('/saml/logout');
    expect(decision).toMatchObject({ kind: 'block', status: 200, body: expect.stringContaining('Signed out') });
    expect(JSON.stringify(decision)).toContain("default-src 'none'");
    expect(JSON.stringify(decision)).not.toContain('<script');
    const own = new SamlWorld({ options: { signedOutPath: '/bye' } });
    expect((await own.get('/saml/logout')).decision).toEqual({ kind: 'redirect', url: '/bye', status: 302 });
  });

  it('without a session only clears the cookie, which the browser may have held back', async () => {
    const world = await signedIn();
    world.jar.cookies.clear();
    const answer = await world.get('/saml/logout');
    expect(refusalOf(answer)).toBe('200');
    expect(setCookies(answer)).toEqual([clearing]);
    expect(world.sessions.held.size).toBe(1);
    expect(world.log()).toEqual([]);
  });

  it('clears a cookie without a session', async () => {
    const world = new SamlWorld();
    world.jar.cookies.set('gateway_saml_session', 'x');
    expect(setCookies(await world.get('/saml/logout'))).toEqual([clearing]);
  });

  it('ends every session that the browser shows, ignoring other cookies of that name', async () => {
    const { world, shown } = await manySessions(16);
    const junk = Array.from({ length: 20 }, (_, index) => `x${index}`);
    world.jar.cookies.set(name, [...junk, ...shown].join(`; ${name}=`));
    expect(locationOf(await world.get('/saml/logout')).hostname).toBe('idp.example');
    expect(world.sessions.held.size).toBe(0);
    expect(world.log()).toEqual(Array(16).fill('info session ended by its user'));
    expect(world.faults()).toEqual([]);
  });

  it('ends none of more sessions than the limit', async () => {
    const { world, shown } = await manySessions(17);
    world.jar.cookies.set(name, shown.join(`; ${name}=`));
    const answer = await world.get('/saml/logout');
    expect(refusalOf(answer)).toBe('400 sign_on_malformed');
    expect(setCookies(answer)).toEqual([]);
    expect(world.sessions.held.size).toBe(17);
    expect(world.logger.lines).toMatchObject([
      { level: 'warn', message: 'sign-out refused', fields: { detail: 'the request has too many session cookies' } },
    ]);
    expect(world.faults()).toEqual([]);
  });

  it('keeps the cookie if the store fails, so the user can retry', async () => {
    const world = await signedIn();
    world.sessions.failing.add('end');
    const answer = await world.get('/saml/logout');
    expect(refusalOf(answer)).toBe('503 agent_undecided');
    expect(setCookies(answer)).toEqual([]);
    expect(world.log()).toEqual(['warn sign-out could not be decided store_unavailable']);
    expect(world.sessionCookie()).toBeDefined();
    expect(world.faults()).toEqual([]);
  });

  it('reaches the identity provider although its response cannot be matched', async () => {
    const world = await signedIn();
    world.requests.failing.add('insert');
    const answer = await world.get('/saml/logout');
    expect(locationOf(answer).hostname).toBe('idp.example');
    expect(world.sessions.held.size).toBe(0);
    expect(world.log()).toContain(
      'warn a sign-out was not stored; the answer of the identity provider will not be recognised',
    );
    expect(world.faults()).toEqual([]);
  });
});
