import { createHmac, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JoseVerificationKeys } from '../../../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js';
import { nodeCertificateFingerprints } from '../../../../../src/adapters/outbound/x509-certificates/certificate-fingerprints.js';
import { CertificateBinding } from '../../../../../src/application/agent/authenticate/certificate-binding.js';
import { JwtCheck } from '../../../../../src/application/agent/authenticate/jwt-check.js';
import { preparedIdentity } from '../../../../../src/application/agent/authenticate/prepared-identity.js';
import { VerifiedTokenCache } from '../../../../../src/application/agent/authenticate/verified-token-cache.js';
import { JwtTokens } from '../../../../../src/application/agent/verify-tokens/jwt-tokens.js';
import { TokenReader } from '../../../../../src/application/agent/verify-tokens/token-verdict.js';
import type { VerificationKey } from '../../../../../src/application/ports/agent/token-verifier.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { believesTheHeader, obeysTheHeader, readCarelessly } from '../../../../support/agent/naive-token-verifier.js';
import { selfSignedCertificate } from '../../../../support/agent/self-signed-certificate.js';
import {
  ecPair,
  publicJwk,
  publicPem,
  rsaPair,
  signInput,
  signToken,
  tokenPart,
} from '../../../../support/agent/test-tokens.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import { numberOf, p256Order, textbookVerify } from '../../../../support/shared/textbook-ecdsa.js';

const secret = 'a secret that is longer than thirty-two bytes';
const rsa = rsaPair();
const ec = ecPair();
const attacker = rsaPair();
const clock = new ManualClock();
const claims = { sub: 'ann', iss: 'https://id.example', aud: 'api', exp: clock.seconds() + 300 };

const configured = {
  HS256: { algorithm: 'HS256', secret: new Secret(secret) },
  RS256: { algorithm: 'RS256', publicKeyPem: publicPem(rsa.publicKey) },
  ES256: { algorithm: 'ES256', publicKeyPem: publicPem(ec.publicKey) },
} as const satisfies Record<string, VerificationKey>;
type Configured = keyof typeof configured;

/** The check as it is configured in earnest; gives `passed`, or why not. */
const outcome = async (algorithm: Configured, token: string): Promise<string> => {
  const verifier = await new JoseVerificationKeys().prepare(configured[algorithm]);
  if (!verifier.ok) throw new Error(verifier.error);
  const limits = { maximumEntries: 10, maximumSize: 100_000_000 };
  const check = new JwtCheck({
    tokens: new JwtTokens({
      algorithm,
      rules: { issuer: claims.iss, audiences: [claims.aud], clockSkewMs: 30_000 },
      verifier: verifier.value,
      clock,
    }),
    reader: new TokenReader(),
    prepare: (identity) => preparedIdentity(identity, []),
    memory: new VerifiedTokenCache(clock, limits),
    binding: new CertificateBinding(nodeCertificateFingerprints),
    proofs: { refusal: async () => null },
  });
  const credentials = {
    authorization: { scheme: 'bearer', token },
    apiKey: null,
    certificate: null,
    sessionCookies: [],
  } as const;
  const first = check.check(credentials);
  if (first instanceof Promise) throw new Error('only bound tokens wait');
  // What was refused must not be let in for having been seen before.
  expect(check.check(credentials)).toEqual(first);
  if (first.kind === 'authenticated') return 'passed';
  return 'reason' in first ? first.reason : first.kind;
};

/** The parts of a token, signed as they stand, whatever they are. */
const signedText = (header: string, payload: string): string => {
  const input = [header, payload].map((text) => Buffer.from(text).toString('base64url')).join('.');
  return `${input}.${signInput('HS256', secret, input)}`;
};
const withSignature = (token: string, change: (signature: Buffer) => Buffer): string => {
  const dot = token.lastIndexOf('.');
  return token.slice(0, dot + 1) + change(Buffer.from(token.slice(dot + 1), 'base64url')).toString('base64url');
};

const hs256 = signToken('HS256', secret, claims);
const rs256 = signToken('RS256', rsa.privateKey, claims);
const es256 = signToken('ES256', ec.privateKey, claims);

interface Attack {
  readonly against: Configured;
  readonly token: string;
  readonly reason: string;
  /** A verifier that was written without the attack in mind; it lets the token in. */
  readonly naive: (token: string) => boolean;
}

const expectRefused = async ({ against, token, reason, naive }: Attack): Promise<void> => {
  expect(naive(token)).toBe(true);
  expect(await outcome(against, token)).toBe(reason);
};

describe('valid tokens pass, here and with naive verifiers', () => {
  it('with any type: older issuers with our key may not set types', async () => {
    for (const typ of ['JWT', 'at+jwt', 'session+jwt']) {
      expect(await outcome('ES256', signToken('ES256', ec.privateKey, claims, { typ }))).toBe('passed');
    }
  });

  it.each<[Configured, string, boolean]>([
    ['HS256', hs256, obeysTheHeader(hs256, secret)],
    ['RS256', rs256, obeysTheHeader(rs256, rsa.publicKey)],
    [
      'ES256',
      es256,
      textbookVerify(ec.publicKey, es256.slice(0, es256.lastIndexOf('.')), readCarelessly(es256).signature),
    ],
  ])('%s', async (algorithm, token, naively) => {
    expect(await outcome(algorithm, token)).toBe('passed');
    expect(naively).toBe(true);
  });

  it('and the textbook verifier refuses a token signed by another key', () => {
    const { input, signature } = readCarelessly(es256);
    expect(textbookVerify(ecPair().publicKey, input, signature)).toBe(false);
  });
});

describe('a key embedded in the token is ignored', () => {
  const certificate = selfSignedCertificate(attacker, 'id.example');
  const jwk = publicJwk(attacker.publicKey);
  const servers = (url: string) => (url.endsWith('/keys') ? { jwk } : url.endsWith('/chain') ? { certificate } : {});

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['jwk', { jwk }],
    ['jku', { jku: 'https://attacker.example/keys' }],
    ['jku that looks like ours', { jku: 'https://id.example@attacker.example/keys' }],
    ['x5u', { x5u: 'https://attacker.example/chain' }],
    ['x5c', { x5c: [certificate.toString('base64')] }],
  ])('%s', async (_, header) => {
    await expectRefused({
      against: 'RS256',
      token: signToken('RS256', attacker.privateKey, claims, header),
      reason: 'bad_signature',
      naive: (token) => believesTheHeader(token, servers),
    });
  });
});

describe('a kid is not an instruction', () => {
  it('to read a file as the secret', async () => {
    await expectRefused({
      against: 'HS256',
      token: signToken('HS256', '', claims, { kid: '../../../../../../../../../../../../dev/null' }),
      reason: 'bad_signature',
      naive: (token) =>
        obeysTheHeader(token, readFileSync(join(tmpdir(), String(readCarelessly(token).header['kid'])), 'utf8')),
    });
  });

  it('to query a database', async () => {
    const kid = "none' UNION SELECT 'attackers-secret' -- ";
    /** What a database makes of a query that was put together from text: its last SELECT decides. */
    const select = (query: string): string => /UNION SELECT '([^']*)' -- /.exec(query)?.[1] ?? '';
    await expectRefused({
      against: 'HS256',
      token: signToken('HS256', 'attackers-secret', claims, { kid }),
      reason: 'bad_signature',
      naive: (token) =>
        obeysTheHeader(
          token,
          select(`SELECT secret FROM keys WHERE kid = '${String(readCarelessly(token).header['kid'])}'`),
        ),
    });
  });

  it('and a token with an unusual kid and a valid signature passes', async () => {
    expect(await outcome('HS256', signToken('HS256', secret, claims, { kid: "'; DROP TABLE keys; --" }))).toBe(
      'passed',
    );
  });
});

describe('a token does not choose its algorithm', () => {
  it.each(['none', 'None', 'NONE', 'nOnE'])('by omitting the signature: %s', async (alg) => {
    const naive = (token: string): boolean => obeysTheHeader(token, secret);
    const unsigned = `${tokenPart({ alg })}.${tokenPart(claims)}.`;
    for (const against of ['HS256', 'RS256', 'ES256'] as const) {
      await expectRefused({ against, token: unsigned, reason: 'wrong_algorithm', naive });
      await expectRefused({ against, token: `${unsigned}AAAA`, reason: 'wrong_algorithm', naive });
    }
  });

  it.each(['hs256', 'Hs256', 'hS256'])('by another case of the name: %s', async (alg) => {
    const token = signToken('HS256', secret, claims, { alg });
    await expectRefused({
      against: 'HS256',
      token,
      reason: 'wrong_algorithm',
      naive: () => obeysTheHeader(token, secret),
    });
  });

  it.each<[unknown]>([[undefined], [null], [''], [' HS256'], ['HS256\0'], [['HS256']], [{ HS256: true }], [256]])(
    'by an invalid name: %j',
    async (alg) => {
      expect(await outcome('HS256', signToken('HS256', secret, claims, { alg }))).toBe('wrong_algorithm');
    },
  );

  it('by making a public key the shared secret', async () => {
    for (const [against, { publicKey }] of [
      ['RS256', rsa],
      ['ES256', ec],
    ] as const) {
      const token = signToken('HS256', publicPem(publicKey), claims);
      const naive = (): boolean => obeysTheHeader(token, publicKey);
      await expectRefused({ against, token, reason: 'wrong_algorithm', naive });
      const forged = signToken('HS256', publicPem(publicKey), claims, { alg: against });
      expect(await outcome(against, forged)).toBe('bad_signature');
    }
  });

  it('by another RSA padding', async () => {
    const pss = signToken('PS256', rsa.privateKey, claims);
    await expectRefused({
      against: 'RS256',
      token: pss,
      reason: 'wrong_algorithm',
      naive: (token) => obeysTheHeader(token, rsa.publicKey),
    });
    expect(await outcome('RS256', signToken('PS256', rsa.privateKey, claims, { alg: 'RS256' }))).toBe('bad_signature');
    expect(await outcome('RS256', signToken('RS512', rsa.privateKey, claims, { alg: 'RS256' }))).toBe('bad_signature');
  });

  it('by another curve', async () => {
    await expectRefused({
      against: 'ES256',
      token: signToken('ES256', ec.privateKey, claims, { alg: 'ES256K' }),
      reason: 'wrong_algorithm',
      naive: (token) => obeysTheHeader(token, ec.publicKey),
    });
    const koblitz = ecPair('secp256k1');
    const jwk = publicJwk(koblitz.publicKey);
    for (const [alg, reason] of [
      ['ES256K', 'wrong_algorithm'],
      ['ES256', 'bad_signature'],
    ] as const) {
      const token = signToken('ES256', koblitz.privateKey, claims, { alg, jwk });
      await expectRefused({ against: 'ES256', token, reason, naive: () => believesTheHeader(token, () => ({})) });
    }
    const prepared = await new JoseVerificationKeys().prepare({
      algorithm: 'ES256',
      publicKeyPem: publicPem(koblitz.publicKey),
    });
    expect(prepared).toMatchObject({ ok: false, error: expect.stringContaining('secp256k1') });
  });
});

describe('two readers of a token agree', () => {
  const header = JSON.stringify({ alg: 'HS256' });
  const payload = JSON.stringify(claims);
  const naive = (token: string): boolean => obeysTheHeader(token, secret);

  it.each<[string, string, string]>([
    ['a claim twice', header, payload.replace('{', '{"sub":"admin",')],
    ['a claim twice, spelt otherwise', header, payload.replace('{', '{"\\u0073ub":"admin",')],
    [
      'a claim twice, deep within',
      header,
      payload.replace('{', '{"realm_access":{"roles":["user"],"roles":["admin"]},'),
    ],
    ['an algorithm twice', '{"alg":"none","alg":"HS256"}', payload],
  ])('despite %s', async (_, headerText, payloadText) => {
    const token = signedText(headerText, payloadText);
    await expectRefused({ against: 'HS256', token, reason: 'malformed', naive });
  });

  it.each<[string, string, string]>([
    ['a byte order mark', header, `\ufeff${payload}`],
    ['a comment', header, `${payload}//`],
    ['an array', header, `[${payload}]`],
    ['a header that is text', '"HS256"', payload],
    ['an empty header', '', payload],
  ])('despite %s', async (_, headerText, payloadText) => {
    expect(await outcome('HS256', signedText(headerText, payloadText))).toBe('malformed');
  });

  it.each<[string, number]>([
    ['a little too deep', 33],
    ['as deep as fits into a token', 5_000],
  ])('despite claims that are nested %s', async (_, depth) => {
    const nested = payload.replace('{', `{"deep":${'['.repeat(depth)}${']'.repeat(depth)},`);
    await expectRefused({ against: 'HS256', token: signedText(header, nested), reason: 'malformed', naive });
    const objects = payload.replace('{', `{"deep":${'{"a":'.repeat(depth / 5)}1${'}'.repeat(depth / 5)},`);
    if (depth / 5 > 32) expect(await outcome('HS256', signedText(header, objects))).toMatch(/malformed|too_large/);
  });

  it('despite other spellings of the same octets', async () => {
    const dot = hs256.lastIndexOf('.');
    const last = hs256.at(-1) ?? '';
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 32 octets leave two bits of the last digit over.
    const neighbour = digits[digits.indexOf(last) ^ 1] ?? '';
    const spellings = [
      hs256.slice(0, -1) + neighbour,
      `${hs256}=`,
      `${hs256}==`,
      `${hs256}\n`,
      `${hs256.slice(0, dot + 5)} ${hs256.slice(dot + 5)}`,
      `${hs256.slice(0, dot + 5)}!${hs256.slice(dot + 5)}`,
      `${hs256.slice(0, dot + 5)}é${hs256.slice(dot + 5)}`,
      hs256.slice(0, dot + 1) + Buffer.from(hs256.slice(dot + 1), 'base64url').toString('base64'),
    ];
    for (const token of spellings) await expectRefused({ against: 'HS256', token, reason: 'malformed', naive });
  });

  it('despite a fourth part', async () => {
    await expectRefused({
      against: 'HS256',
      token: `${hs256}.${tokenPart({ sub: 'admin' })}`,
      reason: 'malformed',
      naive,
    });
  });
});

describe('a huge token', () => {
  it('of a megabyte is refused before any parsing', async () => {
    const token = signToken('HS256', secret, { ...claims, junk: 'x'.repeat(1_000_000) });
    await expectRefused({ against: 'HS256', token, reason: 'too_large', naive: () => obeysTheHeader(token, secret) });
  });

  it('of a megabyte of dots, brackets or garbage is refused', async () => {
    for (const junk of ['.', '[', 'A', '=', '\u{1f511}']) {
      expect(await outcome('HS256', junk.repeat(1_000_000))).toBe('too_large');
    }
  });
});

describe('an ECDSA signature', () => {
  const half = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  const withHalves = (r: bigint, s: bigint): string => withSignature(es256, () => Buffer.concat([half(r), half(s)]));
  const textbook = (token: string): boolean => {
    const { input, signature } = readCarelessly(token);
    return textbookVerify(ec.publicKey, input, signature);
  };

  it.each<[string, bigint, bigint]>([
    ['of zeros', 0n, 0n],
    ['of r = n and s = n', p256Order, p256Order],
    ['of r = 0 and s = n', 0n, p256Order],
    ['of r = n and s = 0', p256Order, 0n],
  ])('is refused: %s', async (_, r, s) => {
    await expectRefused({ against: 'ES256', token: withHalves(r, s), reason: 'bad_signature', naive: textbook });
  });

  it('is refused with either half zero or out of range', async () => {
    const good = readCarelessly(es256).signature;
    const [r, s] = [numberOf(good.subarray(0, 32)), numberOf(good.subarray(32))];
    const largest = 2n ** 256n - 1n;
    for (const wrong of [0n, 1n, p256Order - 1n, p256Order, p256Order + 1n, largest]) {
      expect(await outcome('ES256', withHalves(wrong, s))).toBe('bad_signature');
      expect(await outcome('ES256', withHalves(r, wrong))).toBe('bad_signature');
    }
  });

  it('is refused in DER', async () => {
    const { input } = readCarelessly(es256);
    const der = sign('sha256', Buffer.from(input), ec.privateKey);
    const token = `${input}.${der.toString('base64url')}`;
    const naive = (): boolean => verify('sha256', Buffer.from(input), ec.publicKey, readCarelessly(token).signature);
    await expectRefused({ against: 'ES256', token, reason: 'bad_signature', naive });
  });

  it('is refused with zeros before its halves', async () => {
    const padded = withSignature(es256, (signature) => {
      const zeros = Buffer.alloc(8);
      return Buffer.concat([zeros, signature.subarray(0, 32), zeros, signature.subarray(32)]);
    });
    await expectRefused({ against: 'ES256', token: padded, reason: 'bad_signature', naive: textbook });
  });
});

describe('a signature of the wrong length', () => {
  it('is refused although its prefix is correct', async () => {
    const startsRight = (token: string): boolean => {
      const { input, signature } = readCarelessly(token);
      const whole = createHmac('sha256', secret).update(input).digest();
      return whole.subarray(0, signature.length).equals(signature);
    };
    for (const length of [0, 1, 16, 31]) {
      const token = withSignature(hs256, (signature) => signature.subarray(0, length));
      await expectRefused({ against: 'HS256', token, reason: 'bad_signature', naive: startsRight });
    }
  });

  it('is refused as the same number with leading zeros', async () => {
    const padded = withSignature(rs256, (signature) => Buffer.concat([Buffer.alloc(1), signature]));
    const naive = (token: string): boolean => {
      const { input, signature } = readCarelessly(token);
      return verify('sha256', Buffer.from(input), rsa.publicKey, signature.subarray(-256));
    };
    await expectRefused({ against: 'RS256', token: padded, reason: 'bad_signature', naive });
  });
});

describe('an RSA key below 2048 bits', () => {
  it.each([1024, 1536, 2047])('is refused although it verifies: %i', async (bits) => {
    const { publicKey, privateKey } = rsaPair(bits);
    expect(obeysTheHeader(signToken('RS256', privateKey, claims), publicKey)).toBe(true);
    for (const key of [{ publicKeyPem: publicPem(publicKey) }, { jwk: publicJwk(publicKey) }]) {
      const prepared = await new JoseVerificationKeys().prepare({ algorithm: 'RS256', ...key });
      expect(prepared).toMatchObject({ ok: false, error: expect.stringContaining(`${bits} bits`) });
    }
  });
});
