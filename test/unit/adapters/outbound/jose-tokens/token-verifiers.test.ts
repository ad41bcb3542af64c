import { constants, type KeyObject, sign, webcrypto } from 'node:crypto';
import { CompactSign } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { JoseVerificationKeys } from '../../../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js';
import type { TokenVerifier, VerificationKey } from '../../../../../src/application/ports/agent/token-verifier.js';
import {
  type AsymmetricAlgorithm,
  asymmetricAlgorithms,
  type SignatureAlgorithm,
} from '../../../../../src/domain/agent/tokens/signature-algorithm.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import {
  type KeyPair,
  pairFor,
  publicJwk,
  rsaPair,
  signInput,
  signToken,
} from '../../../../support/agent/test-tokens.js';

const secret = 'a secret that is longer than thirty-two bytes';
const claims = { sub: 'ann', exp: 4_000_000_000 };
const rsa = rsaPair();
const isRsa = (algorithm: SignatureAlgorithm): boolean => algorithm.startsWith('RS') || algorithm.startsWith('PS');
const pairs = new Map<SignatureAlgorithm, KeyPair>(
  asymmetricAlgorithms.map((algorithm) => [algorithm, isRsa(algorithm) ? rsa : pairFor(algorithm)]),
);

const prepared = async (key: VerificationKey): Promise<TokenVerifier> => {
  const result = await new JoseVerificationKeys().prepare(key);
  if (!result.ok) throw new Error(result.error);
  return result.value;
};

/** Of base64url, in the order of their values. */
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

interface Subject {
  readonly verifier: TokenVerifier;
  readonly signingKey: KeyObject | string;
}

const subject = async (algorithm: SignatureAlgorithm): Promise<Subject> => {
  const pair = pairs.get(algorithm);
  if (algorithm === 'HS256' || pair === undefined) {
    return { verifier: await prepared({ algorithm: 'HS256', secret: new Secret(secret) }), signingKey: secret };
  }
  return { verifier: await prepared({ algorithm, jwk: publicJwk(pair.publicKey) }), signingKey: pair.privateKey };
};

/** The token with other octets for its signature. */
const resigned = (token: string, change: (signature: Buffer) => Buffer): string => {
  const dot = token.lastIndexOf('.');
  return token.slice(0, dot + 1) + change(Buffer.from(token.slice(dot + 1), 'base64url')).toString('base64url');
};

describe.each<SignatureAlgorithm>(['HS256', ...asymmetricAlgorithms])('a signature by %s', (algorithm) => {
  it('holds, whether jose or node:crypto made it', async () => {
    const { verifier, signingKey } = await subject(algorithm);
    const key = typeof signingKey === 'string' ? Buffer.from(signingKey) : signingKey;
    const byJose = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: algorithm })
      .sign(key);
    expect(verifier.isSigned(byJose)).toBe(true);
    expect(verifier.isSigned(signToken(algorithm, signingKey, claims))).toBe(true);
  });

  it('does not hold under another key of its kind', async () => {
    const { verifier } = await subject(algorithm);
    const other = algorithm === 'HS256' ? `${secret}!` : pairFor(algorithm).privateKey;
    expect(verifier.isSigned(signToken(algorithm, other, claims))).toBe(false);
  });

  it('does not hold for another text, nor with any part of it changed, cut or padded', async () => {
    const { verifier, signingKey } = await subject(algorithm);
    const token = signToken(algorithm, signingKey, claims);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const other = signToken(algorithm, signingKey, { ...claims, sub: 'bob' });
    expect(verifier.isSigned(`${other.slice(0, other.lastIndexOf('.'))}.${signature}`)).toBe(false);
    const octets = Buffer.from(signature, 'base64url').length;
    for (let index = 0; index < octets; index += 5) {
      const flipped = resigned(token, (original) => {
        original[index] = (original[index] ?? 0) ^ 1;
        return original;
      });
      expect(verifier.isSigned(flipped)).toBe(false);
    }
    const changes: ((original: Buffer) => Buffer)[] = [
      () => Buffer.alloc(0),
      () => Buffer.alloc(octets),
      () => Buffer.alloc(octets, 0xff),
      (original) => original.subarray(1),
      (original) => original.subarray(0, -1),
      (original) => Buffer.concat([original, Buffer.alloc(1)]),
      (original) => Buffer.concat([Buffer.alloc(1), original]),
      (original) => Buffer.concat([original, original]),
    ];
    for (const change of changes) expect(verifier.isSigned(resigned(token, change))).toBe(false);
    for (const malformed of [
      '',
      '.',
      '..',
      signature,
      `${payload}.${signature}`,
      `.${token}`,
      `${token}.`,
      `${header}.${payload}.${payload}.${signature}`,
      `${header}.${payload}`,
      `${token}=`,
      `${token}\n`,
      `${header}.${payload}.${signature.slice(0, -1)}`,
    ]) {
      expect(verifier.isSigned(malformed)).toBe(false);
    }
  });

  it('does not hold in another spelling of the same octets, be it of the signature or of the text', async () => {
    const { verifier, signingKey } = await subject(algorithm);
    const token = signToken(algorithm, signingKey, claims);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const strayBits = digits[digits.indexOf(signature.at(-1) ?? '') ^ 1] ?? '';
    const spellings = [
      `${header}.${payload}.${signature.slice(0, -1)}${strayBits}`,
      `${header}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}`,
      // Its lower octet is that of the first character.
      `${String.fromCharCode(0x100 + header.charCodeAt(0))}${header.slice(1)}.${payload}.${signature}`,
    ];
    for (const spelling of spellings.filter((each) => each !== token)) expect(verifier.isSigned(spelling)).toBe(false);
  });

  it('does not hold over three parts, although it was made over them', async () => {
    const { verifier, signingKey } = await subject(algorithm);
    const input = signToken(algorithm, signingKey, claims);
    expect(verifier.isSigned(`${input}.${signInput(algorithm, signingKey, input)}`)).toBe(false);
    expect(verifier.isSigned(`alone.${signInput(algorithm, signingKey, 'alone')}`)).toBe(false);
  });
});

describe('an elliptic signature in its other form', () => {
  it.each(['ES256', 'ES384', 'ES512'] as const)('does not hold: DER under %s', async (algorithm) => {
    const { verifier, signingKey } = await subject(algorithm);
    const input = signToken(algorithm, signingKey, claims).split('.').slice(0, 2).join('.');
    const der = sign(`sha${algorithm.slice(2)}`, Buffer.from(input), signingKey as KeyObject);
    expect(verifier.isSigned(`${input}.${der.toString('base64url')}`)).toBe(false);
  });
});

describe('an RSA signature made otherwise under the same key', () => {
  const rsaAlgorithms = asymmetricAlgorithms.filter(isRsa);

  it.each(rsaAlgorithms)('does not hold as one by %s', async (algorithm) => {
    const { verifier, signingKey } = await subject(algorithm);
    const input = signToken(algorithm, signingKey, claims).split('.').slice(0, 2).join('.');
    const holding = rsaAlgorithms.filter((made) => verifier.isSigned(`${input}.${signInput(made, signingKey, input)}`));
    expect(holding).toEqual([algorithm]);
  });

  it('does not hold with a salt of another length than the digest has', async () => {
    const { verifier, signingKey } = await subject('PS256');
    const input = signToken('PS256', signingKey, claims).split('.').slice(0, 2).join('.');
    const withSalt = (saltLength: number): string => {
      const key = { key: signingKey as KeyObject, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
      return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
    };
    expect([0, 20, 31, 32, 33, 64, 222].filter((length) => verifier.isSigned(withSalt(length)))).toEqual([32]);
  });
});

describe('verification', () => {
  it('lets nothing but the algorithm of its key count, whatever the header says', async () => {
    for (const algorithm of asymmetricAlgorithms) {
      const { verifier, signingKey } = await subject(algorithm);
      expect(verifier.isSigned(signToken(algorithm, signingKey, claims, { alg: 'none' }))).toBe(true);
    }
  });

  it('keeps Ed25519 from WebCrypto, which would warn that it is experimental in Node 20', async () => {
    const imports = vi.spyOn(webcrypto.subtle, 'importKey');
    const [edwards, elliptic] = [pairFor('EdDSA'), pairFor('ES256')];
    const verifier = await prepared({ algorithm: 'EdDSA', jwk: publicJwk(edwards.publicKey) });
    expect(verifier.isSigned(signToken('EdDSA', edwards.privateKey, claims))).toBe(true);
    expect(imports).not.toHaveBeenCalled();
    await prepared({ algorithm: 'ES256', jwk: publicJwk(elliptic.publicKey) });
    expect(imports).toHaveBeenCalledOnce();
    imports.mockRestore();
  });

  it('says no to a token that is as long as a request may be, without a word', async () => {
    const algorithms: readonly AsymmetricAlgorithm[] = asymmetricAlgorithms;
    for (const algorithm of algorithms) {
      const { verifier } = await subject(algorithm);
      expect(verifier.isSigned(`${'A'.repeat(1_000_000)}.${'B'.repeat(1_000_000)}.AAAA`)).toBe(false);
    }
  });
});
