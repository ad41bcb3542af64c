import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  locationOf,
  refusalOf,
  SamlWorld,
  type SamlWorldOptions,
  setCookies,
  spKey,
} from '../../../../../support/agent/fake-saml-sign-on.js';
import { readFormPage } from '../../../../../support/agent/live-saml-provider.js';

const worldOf = (options: SamlWorldOptions = {}) => new SamlWorld(options);
const only = <Value>(values: Iterable<Value>): Value => {
  const [first, ...more] = [...values];
  if (first === undefined || more.length > 0) throw new Error('not exactly one');
  return first;
};

describe('a sign-on begins', () => {
  it('with a request to the identity provider through the browser', async () => {
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

  it('and stores only hashes of what it sent to the browser', async () => {
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

  it('with a cookie that no other host can set and that cross-site posts carry', async () => {
    const world = worldOf();
    const answer = await world.begin();
    const { handleHash } = only(world.requests.held.values());
    const secret = only(world.jar.cookies.values());
    expect(setCookies(answer)).toEqual([
      `__Host-gateway_saml_session_signon_${handleHash.slice(0, 8)}=${secret}; Path=/; Max-Age=300; Secure; HttpOnly; SameSite=None`,
    ]);
  });

  it.each([
    ['https://idp.example/sso?a=1&b="><script>alert(1)</script>', 'https:'],
    ['http://127.0.0.1:8080/sso', 'https: http:'],
  ])('with a page that posts the request if the provider accepts no other binding: %s', async (ssoUrl, targets) => {
    const world = worldOf({ key: spKey });
    world.provider = world.provider && { ...world.provider, ssoUrl, ssoByPost: true };
    const { decision, responseHeaders } = await world.begin();
    if (decision.kind !== 'block') throw new Error('no page');
    expect(decision.status).toBe(200);
    const body = decision.body ?? '';
    const [, script = ''] = /<script>([^<]*)<\/script>/.exec(body) ?? [];
    expect(body.match(/<script/g)).toHaveLength(1);
    const hash = createHash('sha256').update(script).digest('base64');
    expect(decision.headers).toContain(
      `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action ${targets}; script-src 'sha256-${hash}'`,
    );
    expect(body).toContain('<button>Continue</button>');
    const { action, fields } = readFormPage(body);
    expect(
      action.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
    ).toBe(ssoUrl);
    const request = only(world.requests.held.values());
    expect(world.digest.sha256Hex(fields['RelayState'] ?? '')).toBe(request.handleHash);
    const xml = Buffer.from(fields['SAMLRequest'] ?? '', 'base64').toString();
    expect(xml).toContain(`ID="${request.requestId}"`);
    expect(xml.indexOf('<ds:Signature ')).toBe(xml.indexOf('</saml:Issuer>') + '</saml:Issuer>'.length);
    expect(responseHeaders.filter((operation) => operation.name === 'Set-Cookie')).toHaveLength(1);
    // The handle is for the identity provider, as it is in a URL otherwise.
    expect(world.faults()).toEqual([`in an answer: ${fields['RelayState']}`]);
  });

  it('with no cookie if browser binding is off', async () => {
    const world = worldOf({ options: { browserBinding: false } });
    expect(setCookies(await world.begin())).toEqual([]);
    expect(only(world.requests.held.values()).bindingHash).toBeNull();
  });

  it('with a signed request if there is a key', async () => {
    const location = locationOf(await worldOf({ key: spKey }).begin());
    expect([...location.searchParams.keys()]).toEqual(['SAMLRequest', 'RelayState', 'SigAlg', 'Signature']);
  });

  it('with a return page that is a path of this host, for any input', async () => {
    for (const uri of ['//evil.example/x', '/\\evil.example', 'https://evil.example/', '/a\r\nb']) {
      const world = worldOf();
      await world.begin(uri);
      expect(only(world.requests.held.values()).returnTo, uri).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
    }
  });

  it('independently each time: two sign-ons of one browser keep separate cookies', async () => {
    const world = worldOf();
    await world.begin();
    await world.begin();
    expect(world.jar.cookies.size).toBe(2);
    expect(new Set(world.tokens).size).toBe(4);
  });

  it('with at most eight pending per browser: the oldest cookie is cleared, and its sign-on refused', async () => {
    const world = worldOf();
    const states: string[] = [];
    for (let index = 0; index < 48; index += 1) {
      states.push(locationOf(await world.begin()).searchParams.get('RelayState') ?? '');
      world.clock.advance(1000);
    }
    expect(world.jar.cookies.size).toBe(8);
    expect(setCookies(world.answers.at(-1) as never)).toHaveLength(2);
    const handles = states.map((state) => world.digest.sha256Hex(state).slice(0, 8));
    const kept = [...world.jar.cookies.keys()].map((name) => name.slice(-8));
    expect(kept.toSorted()).toEqual(handles.slice(-8).toSorted());
    expect(world.faults()).toEqual([]);
  });

  it('and clears a bounded number of cookies that a hostile client invents', async () => {
    const world = worldOf();
    for (let index = 0; index < 500; index += 1) {
      world.jar.cookies.set(`__Host-gateway_saml_session_signon_${index.toString(16).padStart(8, '0')}`, `v${index}`);
      world.jar.cookies.set(`__Host-gateway_saml_session_signon_; Domain=evil.example; x${index}`, 'v');
    }
    const set = setCookies(await world.begin());
    expect(set).toHaveLength(17);
    for (const line of set) {
      expect(line).toMatch(/^__Host-gateway_saml_session_signon_[0-9a-f]{8}=[\w-]*; Path=\/; Max-Age=(?:0|300); /);
    }
    expect(world.faults()).toEqual([]);
  });

  it('only after the identity provider is known', async () => {
    const world = worldOf();
    world.provider = null;
    expect(refusalOf(await world.begin())).toBe('503 agent_undecided');
    expect(world.requests.held.size).toBe(0);
    expect(world.log()).toEqual(['warn sign-on could not be decided provider_unavailable']);
    expect(world.hurried).toBe(1);
    expect(world.faults()).toEqual([]);
  });

  it('only if the request can be stored', async () => {
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

describe('sign-ons per client address', () => {
  const from = (world: SamlWorld, clientIp: string) => {
    const event = world.event('/reports');
    return world.singleSignOn.begin({ ...event, metadata: { ...event.metadata, clientIp } }, '/reports');
  };
  const beginMany = async (world: SamlWorld, count: number) => {
    for (let index = 0; index < count; index += 1) locationOf(await from(world, '192.0.2.7'));
  };

  it('are limited in five minutes, without affecting other addresses', async () => {
    const world = worldOf();
    await beginMany(world, 2_500);
    world.clock.advance(240_000);
    await beginMany(world, 2_500);
    world.clock.advance(59_999);
    const refused = await from(world, '192.0.2.7');
    expect(refusalOf(refused)).toBe('503 agent_undecided');
    expect(setCookies(refused)).toEqual([]);
    expect(world.requests.held.size).toBe(5_000);
    expect(world.refusals).toEqual(['overloaded']);
    locationOf(await from(world, '192.0.2.8'));
    expect(world.requests.held.size).toBe(5_001);
  });

  it('are allowed again later', async () => {
    const world = worldOf();
    await beginMany(world, 5_000);
    expect(refusalOf(await from(world, '192.0.2.7'))).toBe('503 agent_undecided');
    world.clock.advance(360_000);
    locationOf(await from(world, '192.0.2.7'));
  });

  it('are counted when refused, and logged at intervals', async () => {
    const world = worldOf();
    await beginMany(world, 5_000);
    for (let index = 0; index < 10; index += 1) world.answers.push(await from(world, '192.0.2.7'));
    expect(world.refusals).toHaveLength(10);
    expect(world.log()).toEqual(['warn a client address has reached its limit of sign-ons overloaded']);
    expect(world.logger.lines[0]?.fields).toMatchObject({ client_ip: '192.0.2.7', not_logged_before: 0 });
    expect(world.faults()).toEqual([]);
  });
});
