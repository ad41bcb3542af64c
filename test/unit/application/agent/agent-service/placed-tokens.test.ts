import { afterEach, describe, expect, it } from 'vitest';
import type { RequestHeadersEvent } from '../../../../../src/domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../../../src/domain/http/header-list.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { FakeKeySetSource } from '../../../../support/agent/fake-key-set-source.js';
import { requestEvent, type TestAgent, testAgent, upstreamHeaders } from '../../../../support/agent/test-agent.js';
import { ecPair, publicJwk, signToken } from '../../../../support/agent/test-tokens.js';

const keys = ecPair();
const edge = 'https://edge.example';
const corp = 'https://corp.example';
const header = 'Cf-Access-Jwt-Assertion';
const cookie = 'CF_Authorization';

const tokenOf = (iss: string, sub: string, claims: JsonObject = {}): string =>
  signToken('ES256', keys.privateKey, { iss, sub, aud: 'api', exp: 4_000_000_000, ...claims }, { kid: 'one' });

const block = (name: string, issuer: string, more: JsonObject = {}): JsonObject => ({
  name,
  enabled: true,
  issuer,
  'jwks-url': `${issuer}/keys`,
  audience: 'api',
  ...more,
});

const started: TestAgent[] = [];
afterEach(async () => {
  for (const { agent } of started.splice(0)) await agent.stop();
});

const agentWith = async (config: JsonObject = {}): Promise<TestAgent> => {
  const keySetSource = new FakeKeySetSource();
  keySetSource.publish({ ...publicJwk(keys.publicKey), kid: 'one' });
  const oidc = [block('edge', edge, { 'token-header': header, 'token-cookie': cookie }), block('corp', corp)];
  const made = testAgent({ oidc, ...config }, { keySetSource });
  started.push(made);
  expect(await made.agent.start()).toMatchObject({ ok: true });
  return made;
};

const decide = async ({ agent }: TestAgent, event: Partial<RequestHeadersEvent> & { headers: HeaderList }) => {
  const answer = await agent.decide({ ...requestEvent(event.headers), ...event }, Symbol());
  const status = answer.decision.kind === 'block' ? answer.decision.status : 200;
  const upstream = upstreamHeaders(event.headers, answer);
  const valueAt = (name: string) => upstream[upstream.findIndex((each) => each.toLowerCase() === name) + 1];
  const names = upstream.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const has = (name: string) => names.includes(name.toLowerCase());
  return { answer, status, user: has('x-user-id') ? valueAt('x-user-id') : null, has, valueAt };
};

describe('a token outside Authorization', () => {
  it('is accepted in its header, which the upstream does not get', async () => {
    const agent = await agentWith();
    for (const name of [header, header.toLowerCase()]) {
      const { status, user, has } = await decide(agent, { headers: [name, tokenOf(edge, 'carol')] });
      expect([status, user, has(header)]).toEqual([200, 'carol', false]);
    }
  });

  it('is accepted in its cookie, which the upstream does not get', async () => {
    const agent = await agentWith();
    const headers = ['Cookie', `a=1; ${cookie}=${tokenOf(edge, 'carol')}; b=2`];
    const { status, user, valueAt } = await decide(agent, { headers });
    expect([status, user, valueAt('cookie')]).toEqual([200, 'carol', 'a=1; b=2']);
  });

  it('lets no other Authorization pass beside forward-access-token', async () => {
    const login = {
      name: 'portal',
      issuer: corp,
      'client-id': 'portal',
      'public-url': 'https://portal.example',
      'authorization-url': `${corp}/authorize`,
      'token-url': `${corp}/token`,
      'jwks-url': `${corp}/keys`,
    };
    for (const forwards of [false, true]) {
      const agent = await agentWith({ 'oidc-login': [{ ...login, 'forward-access-token': forwards }] });
      // Some upstreams read a tab as a space.
      for (const authorization of ['Bearer\tof-the-client', 'Custom of-the-client']) {
        const headers = [header, tokenOf(edge, 'carol'), 'Authorization', authorization];
        const { status, user, has } = await decide(agent, { headers });
        expect([status, user, has('authorization')]).toEqual([200, 'carol', !forwards]);
      }
    }
  });

  it('counts in the order Authorization, header, cookie', async () => {
    const agent = await agentWith();
    const [first, second, third] = [tokenOf(corp, 'first'), tokenOf(edge, 'second'), tokenOf(edge, 'third')];
    const all = ['Cookie', `${cookie}=${third}`, header, second, 'Authorization', `Bearer ${first}`];
    expect(await decide(agent, { headers: all })).toMatchObject({ status: 200, user: 'first' });
    expect(await decide(agent, { headers: all.slice(0, 4) })).toMatchObject({ status: 200, user: 'second' });
    expect(await decide(agent, { headers: all.slice(0, 2) })).toMatchObject({ status: 200, user: 'third' });
  });

  it('is removed even where an earlier place counts', async () => {
    const agent = await agentWith();
    const headers = ['Authorization', `Bearer ${tokenOf(corp, 'first')}`, header, 'x', 'Cookie', `${cookie}=x`];
    const { status, user, has } = await decide(agent, { headers });
    expect([status, user, has(header), has('cookie')]).toEqual([200, 'first', false, false]);
  });

  it('does not replace an earlier token that is invalid', async () => {
    const agent = await agentWith();
    const good = ['Cookie', `${cookie}=${tokenOf(edge, 'carol')}`];
    const expired = tokenOf(edge, 'carol', { exp: 1 });
    for (const bad of [
      ['Authorization', `Bearer ${expired}`],
      ['Authorization', 'Bearer'],
      ['Authorization', 'Bearer a b'],
      [header, expired],
      [header, ''],
      [header, 'not a token'],
    ]) {
      const { answer, status } = await decide(agent, { headers: [...bad, ...good] });
      expect(status, bad.join(': ')).toBe(401);
      expect(JSON.stringify(answer.decision)).toContain('invalid_token');
    }
  });

  it('is accepted beside Basic credentials, which are no token', async () => {
    const agent = await agentWith();
    const headers = ['Authorization', 'Basic dTpw', header, tokenOf(edge, 'carol')];
    expect(await decide(agent, { headers })).toMatchObject({ status: 200, user: 'carol' });
  });

  it('is refused if it is of a provider that does not read the place, cached or not', async () => {
    const agent = await agentWith();
    const token = tokenOf(corp, 'mallory');
    const places = [
      [header, token],
      ['Cookie', `${cookie}=${token}`],
    ];
    for (const headers of places) expect((await decide(agent, { headers })).status).toBe(401);
    expect((await decide(agent, { headers: ['Authorization', `Bearer ${token}`] })).status).toBe(200);
    for (const headers of places) expect((await decide(agent, { headers })).status).toBe(401);
  });

  it('is refused if the key of jwt-secret signed it, cached or not', async () => {
    const secret = 'a-secret-of-more-than-thirty-two-octets';
    const agent = await agentWith({ 'jwt-secret': secret });
    const token = signToken('HS256', secret, { iss: edge, sub: 'mallory', exp: 4_000_000_000 });
    expect((await decide(agent, { headers: [header, token] })).status).toBe(401);
    expect((await decide(agent, { headers: ['Authorization', `Bearer ${token}`] })).status).toBe(200);
    expect((await decide(agent, { headers: [header, token] })).status).toBe(401);
  });

  it('is refused if the header or the cookie is repeated', async () => {
    const agent = await agentWith();
    const token = tokenOf(edge, 'carol');
    for (const headers of [
      [header, token, header, token],
      [header, token, header.toLowerCase(), tokenOf(edge, 'mallory')],
      ['Cookie', `${cookie}=${token}; ${cookie}=${token}`],
      ['Cookie', `${cookie}=${token}`, 'Cookie', `${cookie}=${tokenOf(edge, 'mallory')}`],
      [header, token, header, token, 'Authorization', `Bearer ${token}`],
    ]) {
      const { answer, status } = await decide(agent, { headers });
      expect(status).toBe(401);
      expect(answer.audit.reasonCodes).toEqual(['ambiguous_credentials']);
    }
  });

  it('is kept with forward-credentials', async () => {
    const agent = await agentWith({ 'forward-credentials': true });
    const headers = [header, tokenOf(edge, 'carol'), 'Cookie', `${cookie}=x`];
    const { status, user, has } = await decide(agent, { headers });
    expect([status, user, has(header), has('cookie')]).toEqual([200, 'carol', true, true]);
  });

  it('is removed from requests that fail-open lets pass', async () => {
    const agent = await agentWith({ 'fail-open': true });
    const headers = [header, tokenOf(edge, 'carol', { exp: 1 }), 'Cookie', `${cookie}=x`];
    const { status, user, has } = await decide(agent, { headers });
    expect([status, user, has(header), has('cookie')]).toEqual([200, null, false, false]);
  });

  it('may come from several providers in one header', async () => {
    const shared = { 'token-header': header };
    const agent = await agentWith({ oidc: [block('edge', edge, shared), block('corp', corp, shared)] });
    for (const iss of [edge, corp]) {
      expect(await decide(agent, { headers: [header, tokenOf(iss, 'carol')] })).toMatchObject({ user: 'carol' });
    }
  });
});

describe('a token in a cookie', () => {
  const withCookie = (...more: string[]) => [
    'Host',
    'app.example',
    'Cookie',
    `${cookie}=${tokenOf(edge, 'carol')}`,
    ...more,
  ];

  it('is 403 if a page of another site may have sent the request', async () => {
    const agent = await agentWith();
    for (const origin of [
      'https://evil.example',
      'null',
      'http://app.example:8080',
      'http://app.example, http://app.example',
    ]) {
      const { answer, status } = await decide(agent, { method: 'POST', headers: withCookie('Origin', origin) });
      expect(status, origin).toBe(403);
      expect(JSON.stringify(answer.decision)).toContain('cross_site_request');
    }
    const upgrade = withCookie('Origin', 'https://evil.example', 'Sec-WebSocket-Key', 'x');
    expect((await decide(agent, { headers: upgrade })).status).toBe(403);
  });

  it('passes for pages of allow-origins alone', async () => {
    const agent = await agentWith({ sessions: { store: 'memory', 'allow-origins': 'https://spa.example' } });
    const from = async (origin: string) =>
      (await decide(agent, { method: 'POST', headers: withCookie('Origin', origin) })).status;
    expect(await from('https://spa.example')).toBe(200);
    for (const origin of ['http://spa.example', 'https://spa.example:8443', 'https://x.spa.example', 'null']) {
      expect(await from(origin)).toBe(403);
    }
  });

  it('passes for requests of its own site and requests that change nothing', async () => {
    const agent = await agentWith();
    const own = withCookie('Origin', 'http://app.example');
    expect((await decide(agent, { method: 'POST', headers: own })).status).toBe(200);
    expect((await decide(agent, { method: 'POST', headers: withCookie() })).status).toBe(200);
    expect((await decide(agent, { headers: withCookie('Origin', 'https://evil.example') })).status).toBe(200);
  });

  it('does not make a token in a header fall under that rule', async () => {
    const agent = await agentWith();
    const evil = ['Host', 'app.example', 'Origin', 'https://evil.example'];
    for (const name of [header, 'Authorization']) {
      const value = `${name === header ? '' : 'Bearer '}${tokenOf(edge, 'carol')}`;
      expect((await decide(agent, { method: 'POST', headers: [...evil, name, value] })).status).toBe(200);
    }
  });
});
