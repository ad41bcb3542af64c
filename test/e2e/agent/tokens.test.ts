import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { beforeEach, describe, expect } from 'vitest';
import { rsaPair } from '../../support/agent/test-tokens.js';
import { valuesOf } from '../../support/gateway/recording-upstream.js';
import { it } from '../../support/shared/fixtures.js';
import { type GatewayStack, startStack } from '../../support/shared/gateway-stack.js';
import { runAgent } from '../../support/shared/running-gateway.js';
import { temporaryFolder } from '../../support/shared/temporary-folder.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = rsaPair();
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sharedSecret = 'a-secret-of-more-than-thirty-two-octets';

const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const nowSecs = (): number => Math.floor(Date.now() / 1000);

/** What a good token says; `changes` make it a bad one. An undefined member is left out. */
const claims = (changes: Readonly<Record<string, unknown>> = {}): JWTPayload =>
  JSON.parse(
    JSON.stringify({
      iss: 'https://issuer.example',
      aud: 'orders',
      sub: 'alice',
      role: 'admin',
      exp: nowSecs() + 300,
      ...changes,
    }),
  ) as JWTPayload;

const signed = (alg: string, key: KeyObject | Uint8Array, payload = claims(), header = {}): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg, ...header }).sign(key);

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token over the given header, signed as HS256 with whatever octets. */
const macked = (header: object, secret: string): string => {
  const input = `${part(header)}.${part(claims())}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
};

const keys = temporaryFolder();
const agents = {
  'rs256-embedded': {
    transport: 'embedded',
    config: `jwt-algorithm "RS256"; jwt-public-key "${keys.write('rsa.pem', pem(rsa.publicKey))}"`,
  },
  'rs256-socket': {
    transport: 'socket',
    config: `jwt-algorithm "RS256"; jwt-public-key "${keys.file('rsa.pem')}"`,
  },
  es256: {
    transport: 'embedded',
    config: `jwt-algorithm "ES256"; jwt-public-key "${keys.write('ec.pem', pem(ec.publicKey))}"`,
  },
  hs256: { transport: 'embedded', config: `jwt-secret "${sharedSecret}"` },
} as const;

type Judge = keyof typeof agents;
// One gateway asks all agents, each on its own route.
let stack: GatewayStack;
it.beforeAll(async ({ fileCleanUp: cleanUp }) => {
  cleanUp.add(() => keys.remove());
  const socket = keys.file('agent.sock');
  const agent = runAgent(['--socket', socket]);
  cleanUp.add(() => agent.stop());
  const blocks = Object.entries(agents).map(
    ([name, { transport, config }]) => `
    agents { agent "${name}" {
      ${transport === 'embedded' ? 'transport "embedded"' : `socket "${socket}"`}
      config { jwt-issuer "https://issuer.example"; jwt-audience "orders"; ${config} }
    } }
    routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}" } }`,
  );
  stack = await startStack(cleanUp, { blocks: blocks.join('\n') });
  await stack.agentsPresent();
});
beforeEach(() => void stack.upstream.received.splice(0));

const present = (judge: Judge, token: string) =>
  stack.ask({ path: `/${judge}`, headers: { Authorization: `Bearer ${token}` } });

const expectRefused = async (judge: Judge, token: string): Promise<void> => {
  const { status, headers } = await present(judge, token);
  expect(status).toBe(401);
  expect(headers['www-authenticate']).toMatch(/^Bearer realm="gateway", ?error="invalid_token"/);
  expect(stack.upstream.received).toEqual([]);
};

const expectTaken = async (judge: Judge, token: string): Promise<void> => {
  expect((await present(judge, token)).status).toBe(200);
  const [received] = stack.upstream.received;
  expect(received && valuesOf(received, 'x-user-id')).toEqual(['alice']);
  expect(received && valuesOf(received, 'x-auth-method')).toEqual(['jwt']);
  expect(received && valuesOf(received, 'x-auth-claim-role')).toEqual(['admin']);
};

const badTokens: readonly (readonly [string, () => Promise<string> | string])[] = [
  ['alg none without a signature', () => `${part({ alg: 'none' })}.${part(claims())}.`],
  [
    'alg None with the signature of a good token',
    async () => {
      const [, , signature] = (await signed('RS256', rsa.privateKey)).split('.');
      return `${part({ alg: 'None' })}.${part(claims())}.${signature}`;
    },
  ],
  ['HS256 with the RSA public key as its secret', () => macked({ alg: 'HS256' }, pem(rsa.publicKey))],
  ['HS256 with that key without its last line end', () => macked({ alg: 'HS256' }, pem(rsa.publicKey).trim())],
  ['RS256 in its header, the RSA public key as an HMAC secret', () => macked({ alg: 'RS256' }, pem(rsa.publicKey))],
  ['another RSA key', () => signed('RS256', otherRsa.privateKey)],
  [
    'another RSA key that it brings along',
    () => signed('RS256', otherRsa.privateKey, claims(), { jwk: otherRsa.publicKey.export({ format: 'jwk' }) }),
  ],
  ['a good key but another algorithm of RSA', () => signed('PS256', rsa.privateKey)],
  ['the wrong issuer', () => signed('RS256', rsa.privateKey, claims({ iss: 'https://issuer.example/' }))],
  ['no issuer', () => signed('RS256', rsa.privateKey, claims({ iss: undefined }))],
  ['the wrong audience', () => signed('RS256', rsa.privateKey, claims({ aud: 'order' }))],
  ['other audiences', () => signed('RS256', rsa.privateKey, claims({ aud: ['a', 'b'] }))],
  ['no audience', () => signed('RS256', rsa.privateKey, claims({ aud: undefined }))],
  ['an exp in the past', () => signed('RS256', rsa.privateKey, claims({ exp: nowSecs() - 120 }))],
  ['no exp', () => signed('RS256', rsa.privateKey, claims({ exp: undefined }))],
  ['an exp that is a text', () => signed('RS256', rsa.privateKey, claims({ exp: String(nowSecs() + 300) }))],
  ['an nbf in the future', () => signed('RS256', rsa.privateKey, claims({ nbf: nowSecs() + 120 }))],
  ['an iat in the future', () => signed('RS256', rsa.privateKey, claims({ iat: nowSecs() + 120 }))],
  [
    'a crit header',
    () => {
      const options = { crit: { 'urn:x': true } };
      return new SignJWT(claims())
        .setProtectedHeader({ alg: 'RS256', crit: ['urn:x'], 'urn:x': 1 })
        .sign(rsa.privateKey, options);
    },
  ],
  ['a fourth part', async () => `${await signed('RS256', rsa.privateKey)}.${part({})}`],
  ['octets behind its signature', async () => `${await signed('RS256', rsa.privateKey)}AAAA`],
  ['a full stop behind it', async () => `${await signed('RS256', rsa.privateKey)}.`],
  [
    'a changed claim',
    async () => {
      const [header, , signature] = (await signed('RS256', rsa.privateKey)).split('.');
      return `${header}.${part(claims({ sub: 'bob' }))}.${signature}`;
    },
  ],
  ['no signature', async () => `${(await signed('RS256', rsa.privateKey)).split('.').slice(0, 2).join('.')}.`],
  ['garbage', () => 'not.a.token'],
  ['dots alone', () => '..'],
];

describe.each(['embedded', 'socket'] as const)('RS256, the agent %s', (transport) => {
  const judge = `rs256-${transport}` as const;

  it('accepts a valid token and forwards its claims', async () => {
    await expectTaken(judge, await signed('RS256', rsa.privateKey));
  });

  it('accepts one audience of several', async () => {
    await expectTaken(judge, await signed('RS256', rsa.privateKey, claims({ aud: ['billing', 'orders'] })));
  });

  it.each(badTokens)('refuses a token with %s', async (_name, make) => {
    await expectRefused(judge, await make());
  });

  it('refuses a valid token beside a second Authorization header, in any order', async () => {
    const good = `Bearer ${await signed('RS256', rsa.privateKey)}`;
    for (const pair of [
      [good, 'Bearer x'],
      ['Bearer x', good],
    ]) {
      const headers = ['Host', 'a', ...pair.flatMap((value) => ['Authorization', value])];
      const { status } = await stack.ask({ path: `/${judge}`, headers });
      expect([400, 401]).toContain(status);
    }
    expect(stack.upstream.received).toEqual([]);
  });
});

describe('ES256', () => {
  it('accepts a valid token', async () => {
    await expectTaken('es256', await signed('ES256', ec.privateKey));
  });

  it('refuses a signature of zeros', async () => {
    const [header, payload] = (await signed('ES256', ec.privateKey)).split('.');
    await expectRefused('es256', `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`);
  });

  it('refuses the public key as an HMAC secret', async () => {
    await expectRefused('es256', macked({ alg: 'HS256' }, pem(ec.publicKey)));
  });
});

describe('HS256', () => {
  const secret = new TextEncoder().encode(sharedSecret);

  it('accepts a valid token', async () => {
    await expectTaken('hs256', await signed('HS256', secret));
  });

  it('refuses another secret, another hash length, and alg none', async () => {
    await expectRefused('hs256', await signed('HS256', new TextEncoder().encode(`${sharedSecret}!`)));
    await expectRefused('hs256', await signed('HS512', secret));
    await expectRefused('hs256', `${part({ alg: 'none' })}.${part(claims())}.`);
  });

  it('refuses an RSA signature', async () => {
    await expectRefused('hs256', await signed('RS256', rsa.privateKey));
  });
});
