import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asymmetricAlgorithms } from '../../../../../src/domain/agent/tokens/signature-algorithm.js';
import { startedTestAgent, type TestAgent, testAgent } from '../../../../support/agent/test-agent.js';
import {
  ecPair,
  pairFor,
  publicJwk,
  publicPem,
  rsaPair,
  signInput,
  signToken,
} from '../../../../support/agent/test-tokens.js';

const secret = 'a secret that is longer than thirty-two bytes';
const rsa = rsaPair();
const ec = ecPair();
const folder = mkdtempSync(join(tmpdir(), 'pc-'));
const keyFile = (name: string, pem: string): string => {
  writeFileSync(join(folder, name), pem);
  return join(folder, name);
};
const rsaFile = keyFile('rsa.pem', publicPem(rsa.publicKey));
const ecFile = keyFile('ec.pem', publicPem(ec.publicKey));

const hs256 = () =>
  startedTestAgent({ 'jwt-secret': secret, 'jwt-issuer': 'https://id.example', 'jwt-audience': 'api' });
const rs256 = () => startedTestAgent({ 'jwt-public-key': rsaFile, 'jwt-algorithm': 'RS256' });
const es256 = () => startedTestAgent({ 'jwt-public-key': ecFile, 'jwt-algorithm': 'ES256' });

const now = 1_800_000_000;
const claims = { sub: 'ann', iss: 'https://id.example', aud: 'api', exp: now + 300, iat: now };
const { exp: _exp, ...withoutExpiry } = claims;
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** `passed`, or why not. */
const outcome = async (made: TestAgent, token: string): Promise<string> => {
  const answer = await made.ask(['authorization', `Bearer ${token}`]);
  if (answer.decision.kind === 'allow') return 'passed';
  expect(answer.decision).toMatchObject({ kind: 'block', status: 401 });
  return String(made.logger.lines.at(-1)?.fields['reason']);
};

describe('a valid token', () => {
  it('passes under each algorithm', async () => {
    expect(await outcome(await hs256(), signToken('HS256', secret, claims))).toBe('passed');
    expect(await outcome(await rs256(), signToken('RS256', rsa.privateKey, claims))).toBe('passed');
    expect(await outcome(await es256(), signToken('ES256', ec.privateKey, claims))).toBe('passed');
  });

  it.each(asymmetricAlgorithms)('passes under %s, and under no other algorithm of the same key', async (algorithm) => {
    const { privateKey, publicKey } = pairFor(algorithm);
    const file = keyFile(`${algorithm}.pem`, publicPem(publicKey));
    const made = await startedTestAgent({ 'jwt-public-key': file, 'jwt-algorithm': algorithm });
    expect(await outcome(made, signToken(algorithm, privateKey, claims))).toBe('passed');
    const others = asymmetricAlgorithms.filter(
      (other) => other !== algorithm && other.slice(0, 2) === algorithm.slice(0, 2),
    );
    for (const other of others) {
      const token = signToken(algorithm, privateKey, claims, { alg: other });
      expect(await outcome(made, token)).toBe('wrong_algorithm');
    }
  });

  it('passes with any type', async () => {
    for (const typ of ['at+jwt', 'something-else', undefined]) {
      expect(await outcome(await hs256(), signToken('HS256', secret, claims, { typ }))).toBe('passed');
    }
  });
});

describe('a token is refused', () => {
  it.each<[string, () => string, string]>([
    ['with the algorithm none', () => `${part({ alg: 'none' })}.${part(claims)}.`, 'wrong_algorithm'],
    [
      'with the algorithm none and a signature',
      () => signToken('HS256', secret, claims, { alg: 'none' }),
      'wrong_algorithm',
    ],
    [
      'with another algorithm than the configured one',
      () => signToken('RS256', rsa.privateKey, claims),
      'wrong_algorithm',
    ],
    ['signed with another secret', () => signToken('HS256', `${secret}!`, claims), 'bad_signature'],
    ['without a signature', () => `${part({ alg: 'HS256' })}.${part(claims)}.`, 'bad_signature'],
    ['of another issuer', () => signToken('HS256', secret, { ...claims, iss: 'https://evil.example' }), 'wrong_issuer'],
    ['for another audience', () => signToken('HS256', secret, { ...claims, aud: 'web' }), 'wrong_audience'],
    ['expired', () => signToken('HS256', secret, { ...claims, exp: now - 30 }), 'expired'],
    ['not yet valid', () => signToken('HS256', secret, { ...claims, nbf: now + 31 }), 'not_yet_valid'],
    ['issued in the future', () => signToken('HS256', secret, { ...claims, iat: now + 31 }), 'issued_in_future'],
    ['without an expiry', () => signToken('HS256', secret, withoutExpiry), 'missing_expiry'],
    ['with an expiry that is text', () => signToken('HS256', secret, { ...claims, exp: '9999999999' }), 'malformed'],
    ['without a subject', () => signToken('HS256', secret, { ...claims, sub: '' }), 'unusable_subject'],
    [
      'with a critical header',
      () => signToken('HS256', secret, claims, { crit: ['b64'], b64: true }),
      'critical_header',
    ],
    ['with anything behind it', () => `${signToken('HS256', secret, claims)}.e30`, 'malformed'],
    ['with padding', () => `${signToken('HS256', secret, claims)}=`, 'malformed'],
    ['with characters of the other alphabet', () => signToken('HS256', secret, claims).replace(/.$/, '+'), 'malformed'],
    ['that is huge', () => signToken('HS256', secret, { ...claims, junk: 'x'.repeat(20_000) }), 'too_large'],
    ['that is no token', () => 'abc', 'malformed'],
  ])('%s', async (_, token, reason) => {
    expect(await outcome(await hs256(), token())).toBe(reason);
  });

  it('signed by HS256 with the RSA public key as its secret', async () => {
    const made = await rs256();
    for (const pem of [publicPem(rsa.publicKey), publicPem(rsa.publicKey).trim()]) {
      expect(await outcome(made, signToken('HS256', pem, claims))).toBe('wrong_algorithm');
      const input = `${part({ alg: 'RS256' })}.${part(claims)}`;
      expect(await outcome(made, `${input}.${signInput('HS256', pem, input)}`)).toBe('bad_signature');
    }
  });

  it('with its key embedded in its own header', async () => {
    const mine = rsaPair();
    const jwk = mine.publicKey.export({ format: 'jwk' });
    const header = { jwk, jku: 'https://evil.example/keys', x5u: 'https://evil.example/chain', kid: '../../dev/null' };
    expect(await outcome(await rs256(), signToken('RS256', mine.privateKey, claims, header))).toBe('bad_signature');
  });

  it('by ES256 with a signature of zeros, of the wrong length, or in DER', async () => {
    const made = await es256();
    const input = `${part({ alg: 'ES256' })}.${part(claims)}`;
    for (const signature of [
      Buffer.alloc(64),
      Buffer.alloc(63),
      Buffer.alloc(0),
      Buffer.from('3006020100020100', 'hex'),
    ]) {
      expect(await outcome(made, `${input}.${signature.toString('base64url')}`)).toBe('bad_signature');
    }
  });

  it('with one bit changed anywhere', async () => {
    const made = await hs256();
    const token = signToken('HS256', secret, claims);
    for (let index = 0; index < token.length; index += 7) {
      const other = token.charAt(index) === 'A' ? 'B' : 'A';
      expect(await outcome(made, token.slice(0, index) + other + token.slice(index + 1))).not.toBe('passed');
    }
  });
});

it('a key set in place of a public key is refused with advice on key-set options', async () => {
  const file = keyFile('jwks.json', JSON.stringify({ keys: [publicJwk(rsa.publicKey)] }));
  const made = testAgent({ 'jwt-algorithm': 'RS256', 'jwt-public-key': file });
  expect(await made.agent.start()).toMatchObject({
    ok: false,
    error: [{ option: 'jwt-public-key', suggestion: expect.stringContaining('oidc {') }],
  });
});

describe('a key refused at startup', () => {
  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'a public key for an HS256 secret, with which everybody could sign',
      () => ({ 'jwt-secret': publicPem(rsa.publicKey) }),
      /could sign tokens/,
    ],
    ['an HS256 secret of 31 bytes', () => ({ 'jwt-secret': 'x'.repeat(31) }), /32 bytes/],
    [
      'an RSA key of 1024 bits',
      () => ({ 'jwt-algorithm': 'RS256', 'jwt-public-key': keyFile('small.pem', publicPem(rsaPair(1024).publicKey)) }),
      /1024 bits/,
    ],
    ['an RSA key for ES256', () => ({ 'jwt-algorithm': 'ES256', 'jwt-public-key': rsaFile }), /ES256 needs P-256/],
    ['a P-256 key for RS256', () => ({ 'jwt-algorithm': 'RS256', 'jwt-public-key': ecFile }), /RS256 needs RSA/],
    [
      'a P-384 key for ES256',
      () => ({ 'jwt-algorithm': 'ES256', 'jwt-public-key': keyFile('384.pem', publicPem(ecPair('P-384').publicKey)) }),
      /secp384r1/,
    ],
    [
      'a private key',
      () => ({
        'jwt-algorithm': 'RS256',
        'jwt-public-key': keyFile('private.pem', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
      }),
      /private key/,
    ],
    [
      'no key at all',
      () => ({ 'jwt-algorithm': 'RS256', 'jwt-public-key': keyFile('none.pem', 'hello') }),
      /no PEM public key/,
    ],
    [
      'a missing file',
      () => ({ 'jwt-algorithm': 'RS256', 'jwt-public-key': join(folder, 'gone.pem') }),
      /does not exist/,
    ],
    ['a directory', () => ({ 'jwt-algorithm': 'RS256', 'jwt-public-key': folder }), /directory/],
  ])('%s', async (_, config, message) => {
    await expect(startedTestAgent(config())).rejects.toThrow(message);
  });
});

describe('a token that was accepted before', () => {
  const counting = async (config: Readonly<Record<string, number>> = {}) => {
    let verified = 0;
    const { JoseVerificationKeys } = await import(
      '../../../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js'
    );
    const real = new JoseVerificationKeys();
    const made = await startedTestAgent(
      { 'jwt-secret': secret, ...config },
      {
        keys: {
          prepare: async (key) => {
            const prepared = await real.prepare(key);
            if (!prepared.ok) return prepared;
            return {
              ok: true,
              value: {
                isSigned: (token) => {
                  verified += 1;
                  return prepared.value.isSigned(token);
                },
              },
            };
          },
        },
      },
    );
    return { ...made, verified: () => verified };
  };

  it('is not verified again before it expires', async () => {
    const made = await counting();
    const token = signToken('HS256', secret, { ...claims, exp: now + 3600 });
    for (let count = 0; count < 3; count += 1) expect(await outcome(made, token)).toBe('passed');
    made.clock.advance(3_599_999);
    expect(await outcome(made, token)).toBe('passed');
    expect(made.verified()).toBe(1);
  });

  it('is verified every time if the cache is disabled', async () => {
    const made = await counting({ 'token-cache-size': 0 });
    const token = signToken('HS256', secret, claims);
    for (let count = 0; count < 3; count += 1) expect(await outcome(made, token)).toBe('passed');
    expect(made.verified()).toBe(3);
  });

  it('is verified again after eviction by newer tokens', async () => {
    const made = await counting({ 'token-cache-size': 2 });
    const tokens = ['ann', 'bob', 'cid'].map((sub) => signToken('HS256', secret, { ...claims, sub }));
    for (const token of [...tokens, ...tokens]) expect(await outcome(made, token)).toBe('passed');
    expect(made.verified()).toBe(6);
    for (const token of tokens.slice(1)) expect(await outcome(made, token)).toBe('passed');
    expect(made.verified()).toBe(6);
  });

  it('still expires', async () => {
    const made = await counting();
    const token = signToken('HS256', secret, { ...claims, exp: now + 10 });
    expect(await outcome(made, token)).toBe('passed');
    made.clock.advance(39_999);
    expect(await outcome(made, token)).toBe('passed');
    made.clock.advance(1);
    expect(await outcome(made, token)).toBe('expired');
  });

  it('does not validate another signature', async () => {
    const made = await counting();
    const token = signToken('HS256', secret, claims);
    expect(await outcome(made, token)).toBe('passed');
    expect(await outcome(made, `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(43)}`)).toBe('bad_signature');
  });

  it('is dropped when the configuration changes', async () => {
    const made = await counting();
    const token = signToken('HS256', secret, claims);
    expect(await outcome(made, token)).toBe('passed');
    const taken = await made.agent.configure(
      { 'jwt-issuer': 'https://other.example' },
      { proxyId: 'g', proxyVersion: '1', connection: Symbol('connection') },
      'change',
    );
    expect(taken).toEqual({ ok: true, value: undefined });
    expect(await outcome(made, token)).toBe('wrong_issuer');
  });
});
