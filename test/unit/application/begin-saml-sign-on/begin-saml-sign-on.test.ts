import { describe, expect, it } from 'vitest';
import {
  locationOf,
  refusalOf,
  SamlWorld,
  type SamlWorldOptions,
  setCookies,
  spKey,
} from '../../../support/fake-saml-sign-on.js';

const worldOf = (options: SamlWorldOptions = {}) => new SamlWorld(options);
const only = <Value>(values: Iterable<Value>): Value => {
  const [first, ...more] = [...values];
  if (first === undefined || more.length > 0) throw new Error('not exactly one');
  return first;
};

describe('a sign-on begins', () => {
  it('with a request that goes to the identity provider by the browser', async () => {
    const world = worldOf();
    const location = locationOf(await world.begin());
    const request = only(world.requests.held.values());
    expect(location.origin + location.pathname).toBe('https://idp.example/sso');
    const xml = Buffer.from(location.searchParams.get('SAMLRequest') ?? '', 'base64').toString();
    expect(xml).toContain(`ID="${request.requestId}"`);
    expect(xml).toContain('AssertionConsumerServiceURL="https://app.example/saml/acs"');
    expect(xml).toContain('Destination="https://idp.example/sso"');
    expect(location.searchParams.has('Signature')).toBe(false);
    expect(world.faults()).toEqual([]);
  });

  it('and remembers only hashes of what it gave to the browser', async () => {
    const world = worldOf();
    const location = locationOf(await world.begin('/reports?year=2026'));
    const handle = location.searchParams.get('RelayState') ?? '';
    const request = only(world.requests.held.values());
    const secret = only(world.jar.cookies.values());
    expect(handle).toHaveLength(43);
    expect(request).toEqual({
      handleHash: world.digest.sha256Hex(handle),
      kind: 'sign_on',
      requestId: expect.stringMatching(/^_[0-9a-f-]{36}$/),
      bindingHash: world.digest.sha256Hex(secret),
      returnTo: '/reports?year=2026',
      createdMs: world.clock.wallMs(),
      expiresMs: world.clock.wallMs() + 300_000,
    });
    expect(JSON.stringify(request)).not.toContain(handle);
    expect(JSON.stringify(request)).not.toContain(secret);
  });

  it('with a cookie that goes to the consumer path alone and comes back with what another site posts', async () => {
    const world = worldOf();
    const answer = await world.begin();
    const { handleHash } = only(world.requests.held.values());
    const secret = only(world.jar.cookies.values());
    expect(setCookies(answer)).toEqual([
      `gateway_saml_session_signon_${handleHash.slice(0, 8)}=${secret}; Path=/saml/acs; Max-Age=300; Secure; HttpOnly; SameSite=None`,
    ]);
  });

  it('with a cookie for the path that browsers post to, whatever the gateway makes of it', async () => {
    const world = worldOf({ options: { acsUrl: 'https://app.example/auth/saml/acs' } });
    expect(setCookies(await world.begin())[0]).toContain('; Path=/auth/saml/acs; ');
  });

  it('with no cookie where browsers are not bound', async () => {
    const world = worldOf({ options: { browserBinding: false } });
    expect(setCookies(await world.begin())).toEqual([]);
    expect(only(world.requests.held.values()).bindingHash).toBeNull();
  });

  it('with a signed request where there is a key', async () => {
    const location = locationOf(await worldOf({ key: spKey }).begin());
    expect([...location.searchParams.keys()]).toEqual(['SAMLRequest', 'RelayState', 'SigAlg', 'Signature']);
  });

  it('with the page to return to as a path of this host, whatever was asked for', async () => {
    for (const uri of ['//evil.example/x', '/\\evil.example', 'https://evil.example/', '/a\r\nb']) {
      const world = worldOf();
      await world.begin(uri);
      expect(only(world.requests.held.values()).returnTo, uri).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
    }
  });

  it('anew each time: two of one browser do not take each other’s cookies', async () => {
    const world = worldOf();
    await world.begin();
    await world.begin();
    expect(world.jar.cookies.size).toBe(2);
    expect(new Set(world.tokens).size).toBe(4);
  });

  it('not while nothing is known of the identity provider', async () => {
    const world = worldOf();
    world.provider = null;
    expect(refusalOf(await world.begin())).toBe('503 agent_undecided');
    expect(world.requests.held.size).toBe(0);
    expect(world.log()).toEqual(['warn sign-on could not be decided provider_unavailable']);
    expect(world.faults()).toEqual([]);
  });

  it('not while the request cannot be remembered', async () => {
    const world = worldOf();
    world.requests.failing.add('insert');
    const answer = await world.begin();
    expect(refusalOf(answer)).toBe('503 agent_undecided');
    expect(setCookies(answer)).toEqual([]);
    expect(world.refusals).toEqual(['store_unavailable']);
    expect(world.logger.lines[0]?.fields['detail']).toBe('the disk is gone');
    expect(world.faults()).toEqual([]);
  });
});
