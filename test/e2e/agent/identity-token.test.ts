import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { beforeEach, describe, expect } from 'vitest';
import { RecordingUpstream, valuesOf } from '../../support/gateway/recording-upstream.js';
import { eventually } from '../../support/shared/eventually.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { runAgent } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const secret = 'a-secret-of-more-than-thirty-two-octets';
const issuer = 'https://gateway.example.com/identity';
const folder = temporaryFolder();
const copies = new RecordingUpstream();
let stack: GatewayStack;

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

const users = `jwt-secret "${secret}"; api-keys "the-key-of-the-robot:robot"`;

it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  cleanUp.add(() => folder.remove());
  const currentKey = newKey();
  const [current, next] = [folder.write('current.pem', currentKey), folder.write('next.pem', newKey())];
  const published = createPublicKey(currentKey).export({ type: 'spki', format: 'pem' }) as string;
  const publicKey = folder.write('current.pub', published);
  const agent = runAgent(['--socket', folder.file('agent.sock')]);
  cleanUp.add(() => agent.stop());
  const copyPort = await copies.listen();
  cleanUp.add(() => copies.close());
  const token = (more = '') =>
    `identity-token { issuer "${issuer}"; signing-key-file "${current}" "${next}"; ${more} }`;
  const block = (name: string, transport: string, config: string, route = ''): string => `
    agents { agent "${name}" { ${transport}; config { ${users}; ${config} } } }
    routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}"; ${route} } }`;
  const embedded = 'transport "embedded"';
  stack = await startStack(cleanUp, {
    blocks: [
      block('embedded', embedded, token('jwks-path "/embedded/keys"')),
      block('socket', `socket "${folder.file('agent.sock')}"`, token('jwks-path "/socket/keys"')),
      block(
        'custom',
        embedded,
        token('header "X-Signed-User"; audience "https://{upstream}.internal"; jwks-path "/custom/keys"'),
        'mirror "shadow"',
      ),
      `agents { agent "careless" { ${embedded}; config {
        api-keys "the-key-of-the-robot:robot"; jwt-public-key "${publicKey}"; jwt-algorithm "ES256"
        ${token('jwks-path "/careless/keys"')}
      } } }
      routes { route "careless" { matches { path-prefix "/careless" }; upstream "back"; agents "careless" } }`,
      block('open', embedded, `fail-open #true; ${token('jwks-path "/open/keys"')}`),
      `upstreams { upstream "shadow" { target "127.0.0.1:${copyPort}" } }`,
    ].join('\n'),
  });
  await stack.agentsPresent();
});
beforeEach(() => {
  stack.upstream.reset();
  copies.reset();
});

const bearer = async (claims: object = {}): Promise<Record<string, string>> => {
  const token = await new SignJWT({ sub: 'ann', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(Buffer.from(secret));
  return { Authorization: `Bearer ${token}` };
};

/** The identity tokens that reached the upstream. */
const tokensFor = async (path: string, headers: Record<string, string>, name = 'x-identity-token') => {
  const before = stack.upstream.received.length;
  expect(
    (await stack.ask({ path, headers: { ...headers, [name]: 'forged', x_identity_token: 'forged' } })).status,
  ).toBe(200);
  const request = stack.upstream.received[before];
  if (request === undefined) throw new Error('nothing has reached the upstream');
  expect(request.rawHeaders).not.toContain('forged');
  return valuesOf(request, name);
};

const keySet = (name: string) => createRemoteJWKSet(new URL(`http://127.0.0.1:${stack.port}/${name}/keys`));

describe.each(['embedded', 'socket'])('an upstream behind an agent (%s) with identity-token', (name) => {
  it('verifies the token with the key set and knows the user', async () => {
    const [token = ''] = await tokensFor(
      `/${name}`,
      await bearer({
        client_id: 'web',
        scope: 'read write',
        email: 'ann@example.com',
        groups: ['a', 'b'],
        secret: 's',
      }),
    );
    const { payload, protectedHeader } = await jwtVerify(token, keySet(name), {
      issuer,
      audience: 'back',
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    expect(protectedHeader.kid).toEqual(expect.any(String));
    expect(payload).toMatchObject({ sub: 'ann', client_id: 'web', scope: 'read write', email: 'ann@example.com' });
    expect(payload['groups']).toEqual(['a', 'b']);
    expect(payload).not.toHaveProperty('secret');
    expect(payload.jti).toMatch(/^[0-9a-f-]{36}$/);
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
  });

  it('gets one token for an identity, and another for every other one', async () => {
    const ann = await bearer();
    const [first] = await tokensFor(`/${name}`, ann);
    expect(await tokensFor(`/${name}`, ann)).toEqual([first]);
    expect(await tokensFor(`/${name}`, await bearer({ sub: 'bob' }))).not.toEqual([first]);
    const [robot = ''] = await tokensFor(`/${name}`, { 'X-API-Key': 'the-key-of-the-robot' });
    expect(decodeJwt(robot)).toMatchObject({ sub: 'robot', client_id: issuer });
  });

  it('refuses a token that another key signed, and one with changed claims', async () => {
    const [token = ''] = await tokensFor(`/${name}`, await bearer());
    const [head, , signature] = token.split('.');
    const root = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: 'root' })).toString('base64url');
    await expect(jwtVerify(`${head}.${root}.${signature}`, keySet(name))).rejects.toThrow('signature');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const foreign = await new SignJWT({ sub: 'root' }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    await expect(jwtVerify(foreign, keySet(name))).rejects.toThrow();
  });

  it('finds the keys of a rotation without credentials, and only public members', async () => {
    const answer = await stack.ask({ path: `/${name}/keys` });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/jwk-set+json');
    const set = JSON.parse(answer.body) as JSONWebKeySet;
    expect(set.keys).toHaveLength(2);
    for (const key of set.keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(() => createLocalJWKSet(set)).not.toThrow();
    expect((await stack.ask({ path: `/${name}/keys`, method: 'POST', body: 'a=b' })).status).toBe(405);
    expect(stack.upstream.received).toEqual([]);
  });
});

it('uses the configured header and audience, which mirrors and clients never see or set', async () => {
  const [token = ''] = await tokensFor('/custom', await bearer(), 'x-signed-user');
  expect(decodeJwt(token).aud).toBe('https://back.internal');
  await eventually(() => copies.received.length === 1);
  const [copy] = copies.received;
  expect(copy?.rawHeaders.map((text) => text.toLowerCase())).not.toContain('x-signed-user');
  expect(copy?.rawHeaders.join('\n')).not.toContain(token);
  // A route without agents removes the header from clients too.
  expect(await tokensFor('/none', {}, 'x-signed-user')).toEqual([]);
});

it('is no credential, even for an agent that verifies tokens with the same key, and warns of that', async () => {
  const [token = ''] = await tokensFor('/careless', { 'X-API-Key': 'the-key-of-the-robot' });
  await jwtVerify(token, keySet('careless'), { issuer });
  stack.upstream.reset();
  const shown = await stack.ask({ path: '/careless', headers: { Authorization: `Bearer ${token}` } });
  expect(shown.status).toBe(401);
  expect(stack.upstream.received).toEqual([]);
  expect(stack.gateway.output()).toContain('the first key is also that of jwt-public-key');
  expect(stack.gateway.output()).not.toContain(token);
});

it('gives no token to requests without an identity', async () => {
  expect(await tokensFor('/open', {})).toEqual([]);
  expect(await tokensFor('/open', { Authorization: 'Bearer nonsense' })).toEqual([]);
  expect(await tokensFor('/open', await bearer())).toHaveLength(1);
});
