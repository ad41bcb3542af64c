import { createHash, type KeyObject, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MemoryStoreOpener } from '../../../../../src/adapters/outbound/memory-session-store/memory-store-opener.js';
import { noOtherProcesses } from '../../../../../src/application/agent/sessions/session-endings.js';
import { SessionStoreLeases } from '../../../../../src/application/agent/sessions/session-store-leases.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { FakeKeySetSource } from '../../../../support/agent/fake-key-set-source.js';
import { requestEvent, startedTestAgent } from '../../../../support/agent/test-agent.js';
import { ecPair, type KeyPair, pairFor, publicJwk, signToken } from '../../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { RecordingLogger } from '../../../../support/shared/recording-logger.js';

const issuer = 'https://id.example';
const provider = ecPair();
const own = ecPair();
const other = ecPair();
const url = 'https://api.example/orders';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
const thumbprint = (key: KeyObject): string => {
  const jwk = publicJwk(key);
  const members = ['crv', 'e', 'kty', 'n', 'x', 'y'].filter((name) => jwk[name] !== undefined);
  return sha256(JSON.stringify(Object.fromEntries(members.map((name) => [name, jwk[name]]))));
};

const started = async (config: JsonObject = {}, more: JsonObject = {}) => {
  const keySetSource = new FakeKeySetSource();
  keySetSource.publish({ ...publicJwk(provider.publicKey), kid: 'first' });
  const oidc = { enabled: true, issuer, 'jwks-url': `${issuer}/keys`, audience: 'api', ...config };
  const made = await startedTestAgent({ oidc, ...more }, { keySetSource });
  const { clock, agent } = made;
  const tokenOf = (cnf?: JsonObject): string => {
    const claims = { iss: issuer, aud: 'api', sub: 'ann', exp: clock.seconds() + 600, ...(cnf && { cnf }) };
    return signToken('ES256', provider.privateKey, claims, { kid: 'first' });
  };
  const proofOf = (token: string, claims: JsonObject = {}, header: JsonObject = {}, pair: KeyPair = own): string =>
    signToken(
      'ES256',
      pair.privateKey,
      { jti: randomUUID(), htm: 'GET', htu: url, iat: clock.seconds(), ath: sha256(token), ...claims },
      { typ: 'dpop+jwt', jwk: publicJwk(pair.publicKey), ...header },
    );
  const answer = (headers: readonly string[], uri = '/orders') =>
    agent.decide(
      {
        ...requestEvent(['host', 'api.example', 'x-forwarded-proto', 'https', ...headers]),
        uri,
      },
      Symbol('connection'),
    );
  const ask = async (headers: readonly string[], uri?: string): Promise<string> => {
    const { decision, audit } = await answer(headers, uri);
    if (decision.kind !== 'block') return decision.kind;
    return `${decision.status} ${audit.reasonCodes.join()}`;
  };
  const bound = tokenOf({ jkt: thumbprint(own.publicKey) });
  const show = (proof: string, uri?: string) => ask(['authorization', `DPoP ${bound}`, 'dpop', proof], uri);
  return { ...made, tokenOf, proofOf, answer, ask, bound, show };
};

describe('a token bound to a key', () => {
  it('passes with a new proof for each request, also after caching', async () => {
    const { bound, proofOf, show } = await started();
    for (let run = 0; run < 3; run += 1) expect(await show(proofOf(bound))).toBe('allow');
  });

  it('is refused as a bearer token, before and after it was cached', async () => {
    const { bound, ask, show, proofOf } = await started();
    const asBearer = ['authorization', `Bearer ${bound}`, 'dpop', proofOf(bound)];
    expect(await ask(asBearer)).toBe('401 bound_token_as_bearer');
    expect(await show(proofOf(bound))).toBe('allow');
    expect(await ask(asBearer)).toBe('401 bound_token_as_bearer');
    expect(await ask(['authorization', `DPoP ${bound}`])).toBe('401 missing_proof');
  });

  it('takes each proof once, also from another connection and after a reload', async () => {
    const { bound, proofOf, show, agent, clock } = await started();
    const proof = proofOf(bound);
    expect(await show(proof)).toBe('allow');
    expect(await show(proof)).toBe('401 used_proof');
    expect((await agent.reload()).ok).toBe(true);
    expect(await show(proof)).toBe('401 used_proof');
    clock.advance(60_000);
    expect(await show(proof)).toBe('401 used_proof');
    clock.advance(1);
    expect(await show(proof)).toBe('401 untimely_proof');
  });

  it('takes exactly one of many requests with one proof at once', async () => {
    const { bound, proofOf, show } = await started();
    const proof = proofOf(bound);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => show(proof)));
    expect(outcomes.filter((outcome) => outcome === 'allow')).toHaveLength(1);
  });

  it('needs exactly one proof', async () => {
    const { bound, proofOf, ask } = await started();
    const twice = ['authorization', `DPoP ${bound}`, 'dpop', proofOf(bound), 'DPoP', proofOf(bound)];
    expect(await ask(twice)).toBe('401 repeated_proof');
  });

  it.each<readonly [string, JsonObject, JsonObject, string]>([
    ['the type of a token', {}, { typ: 'at+jwt' }, 'wrong_proof_type'],
    ['no type', {}, { typ: null }, 'wrong_proof_type'],
    ['a critical header', {}, { crit: ['b64'] }, 'critical_proof_header'],
    ['no algorithm', {}, { alg: 'none' }, 'wrong_proof_algorithm'],
    ['a symmetric algorithm', {}, { alg: 'HS256' }, 'wrong_proof_algorithm'],
    ['the algorithm of another key', {}, { alg: 'RS256' }, 'unusable_proof_key'],
    ['no key', {}, { jwk: null }, 'unusable_proof_key'],
    ['a private key', {}, { jwk: own.privateKey.export({ format: 'jwk' }) as JsonObject }, 'unusable_proof_key'],
    ['another key', {}, { jwk: publicJwk(other.publicKey) }, 'wrong_proof_key'],
    ['another method', { htm: 'POST' }, {}, 'wrong_proof_method'],
    ['a method in lower case', { htm: 'get' }, {}, 'wrong_proof_method'],
    ['another host', { htu: 'https://evil.example/orders' }, {}, 'wrong_proof_uri'],
    ['another scheme', { htu: 'http://api.example/orders' }, {}, 'wrong_proof_uri'],
    ['another port', { htu: 'https://api.example:8443/orders' }, {}, 'wrong_proof_uri'],
    ['another path', { htu: 'https://api.example/order' }, {}, 'wrong_proof_uri'],
    ['credentials in the URL', { htu: 'https://x@api.example/orders' }, {}, 'wrong_proof_uri'],
    ['a path alone', { htu: '/orders' }, {}, 'wrong_proof_uri'],
    ['a list of URLs', { htu: [url] }, {}, 'wrong_proof_uri'],
    ['no time', { iat: null }, {}, 'untimely_proof'],
    ['a time that is text', { iat: '1800000000' }, {}, 'untimely_proof'],
    ['a time 61 s ago', { iat: 1_799_999_939 }, {}, 'untimely_proof'],
    ['a time in 61 s', { iat: 1_800_000_061 }, {}, 'untimely_proof'],
    ['the hash of another token', { ath: sha256('x') }, {}, 'wrong_proof_token'],
    ['no hash', { ath: null }, {}, 'wrong_proof_token'],
    ['no id', { jti: null }, {}, 'malformed_proof_id'],
    ['an empty id', { jti: '' }, {}, 'malformed_proof_id'],
    ['an id of 257 characters', { jti: 'x'.repeat(257) }, {}, 'malformed_proof_id'],
  ])('is refused with a proof that has %s', async (_case, claims, header, reason) => {
    const { bound, proofOf, show } = await started();
    expect(await show(proofOf(bound, claims, header))).toBe(`401 ${reason}`);
  });

  it('is refused with a proof that another key signed, or that is no JWT, or too large', async () => {
    const { bound, proofOf, show } = await started();
    const forged = proofOf(bound, {}, { jwk: publicJwk(own.publicKey) }, other);
    expect(await show(forged)).toBe('401 bad_proof_signature');
    expect(await show('x')).toBe('401 malformed_proof');
    expect(await show(proofOf(bound, { more: 'x'.repeat(6_000) }))).toBe('401 malformed_proof');
  });

  it('compares URLs without query, default port and dot segments', async () => {
    const { bound, proofOf, show } = await started();
    for (const htu of ['HTTPS://API.example:443/orders?x=1#y', 'https://api.example/a/../orders']) {
      expect(await show(proofOf(bound, { htu }), '/orders?id=7')).toBe('allow');
    }
  });

  it('names a host of resource-metadata or of a login, if there is one, whatever Host the request has', async () => {
    const metadata = (resource: string) => ({ resource, 'authorization-servers': issuer });
    const login = {
      name: 'corp',
      issuer: 'https://login.example',
      'client-id': 'portal',
      'public-url': ['https://portal.example', 'https://portal.example:8443'],
    };
    const { bound, proofOf, show } = await started(
      {},
      {
        'resource-metadata': [metadata('https://Public.example:443/mcp'), metadata('https://other.example')],
        'oidc-login': login,
        sessions: { store: 'memory' },
      },
    );
    for (const origin of ['public.example', 'OTHER.example', 'portal.example:443', 'portal.example:8443']) {
      expect(await show(proofOf(bound, { htu: `https://${origin}/orders` }))).toBe('allow');
    }
    // The last is the host of the request itself.
    for (const origin of ['http://public.example', 'https://public.example:8443', 'https://api.example']) {
      expect(await show(proofOf(bound, { htu: `${origin}/orders` }))).toBe('401 wrong_proof_uri');
    }
    expect(await show(proofOf(bound, { htu: 'https://public.example/mcp' }))).toBe('401 wrong_proof_uri');
  });

  it('is bound to keys of every kind', async () => {
    const { tokenOf, ask, clock } = await started();
    for (const algorithm of ['RS256', 'PS256', 'ES384', 'EdDSA'] as const) {
      const pair = pairFor(algorithm);
      const token = tokenOf({ jkt: thumbprint(pair.publicKey) });
      const claims = { jti: '1', htm: 'GET', htu: url, iat: clock.seconds(), ath: sha256(token) };
      const header = { typ: 'dpop+jwt', jwk: publicJwk(pair.publicKey) };
      const proof = signToken(algorithm, pair.privateKey, claims, header);
      expect(await ask(['authorization', `dpop ${token}`, 'dpop', proof])).toBe('allow');
    }
  });
});

describe('require-proof', () => {
  it('refuses tokens that are bound to no key, and offers DPoP', async () => {
    const { tokenOf, ask, answer, bound, proofOf, show } = await started({ 'require-proof': 'dpop' });
    expect(await ask(['authorization', `Bearer ${tokenOf()}`])).toBe('401 unbound_token');
    expect(await show(proofOf(bound))).toBe('allow');
    const { decision } = await answer([]);
    expect(decision).toMatchObject({ headers: expect.arrayContaining([expect.stringMatching(/^DPoP algs="RS256 /)]) });
  });

  it('is not needed for the scheme DPoP, which refuses tokens that are bound to no key', async () => {
    const { tokenOf, ask, proofOf } = await started();
    const token = tokenOf();
    expect(await ask(['authorization', `Bearer ${token}`])).toBe('allow');
    expect(await ask(['authorization', `DPoP ${token}`, 'dpop', proofOf(token)])).toBe('401 unbound_token');
  });
});

describe('the answer to a refused proof', () => {
  it('names the error and the algorithms', async () => {
    const { bound, answer } = await started();
    const { decision } = await answer(['authorization', `DPoP ${bound}`, 'dpop', 'x']);
    const headers = decision.kind === 'block' ? decision.headers : [];
    expect(headers).toContain(
      'DPoP algs="RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA", error="invalid_dpop_proof"',
    );
    expect(headers).toContain('Bearer realm="gateway"');
  });

  it('is 503 if the store of used proofs is full, and the agent reports itself degraded', async () => {
    const keySetSource = new FakeKeySetSource();
    keySetSource.publish({ ...publicJwk(provider.publicKey), kid: 'first' });
    const stores = new SessionStoreLeases({
      opener: new MemoryStoreOpener({ replays: 0 }),
      clock: new ManualClock(),
      logger: new RecordingLogger(),
      endings: noOtherProcesses,
    });
    const oidc = { enabled: true, issuer, 'jwks-url': `${issuer}/keys`, audience: 'api' };
    const { agent, clock } = await startedTestAgent({ oidc }, { keySetSource, sessions: { stores } });
    const claims = { iss: issuer, aud: 'api', sub: 'ann', exp: clock.seconds() + 600 };
    const cnf = { jkt: thumbprint(own.publicKey) };
    const token = signToken('ES256', provider.privateKey, { ...claims, cnf }, { kid: 'first' });
    const proven = { jti: '1', htm: 'GET', htu: 'http://api.example/orders', iat: clock.seconds(), ath: sha256(token) };
    const header = { typ: 'dpop+jwt', jwk: publicJwk(own.publicKey) };
    const proof = signToken('ES256', own.privateKey, proven, header);
    const event = requestEvent(['host', 'api.example', 'authorization', `DPoP ${token}`, 'dpop', proof]);
    const { decision } = await agent.decide(event, Symbol('connection'));
    expect(decision).toMatchObject({ kind: 'block', status: 503 });
    expect(agent.health()).toMatchObject({
      state: 'degraded',
      message: 'DPoP: the store of used proofs cannot be used (the memory replay store is full)',
    });
  });
});
