import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { JoseTokenSigningKeys } from '../../../../../src/adapters/outbound/jose-tokens/jose-token-signing-keys.js';
import {
  asymmetricAlgorithms,
  type SigningAlgorithm,
  signingAlgorithms,
} from '../../../../../src/domain/agent/tokens/signature-algorithm.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { ecPair, pairFor, publicJwk, publicPem, rsaPair, signToken } from '../../../../support/agent/test-tokens.js';

const keys = new JoseTokenSigningKeys();
const rsa = rsaPair();
const ec = ecPair();
const ed = pairFor('EdDSA');
const weak = rsaPair(1024);

const privatePem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const jwkOf = (key: KeyObject): JsonWebKey => key.export({ format: 'jwk' });
/** A private key with the public numbers of another one. */
const chimera = (own: KeyObject, other: KeyObject): string =>
  privatePem(createPrivateKey({ key: { ...jwkOf(own), ...jwkOf(other) } as JsonWebKey, format: 'jwk' }));

const signingFault = async (text: string, algorithm: SigningAlgorithm): Promise<string> => {
  const key = await keys.readSigningKey(new Secret(text), algorithm);
  return key.ok ? '' : key.error;
};
const publishedFault = async (text: string, signing: SigningAlgorithm): Promise<string> => {
  const key = await keys.readPublishedKey(new Secret(text), signing);
  return key.ok ? '' : key.error;
};
const clientFault = async (pem: string): Promise<string> => {
  const key = await keys.readClientKey(pem);
  return key.ok ? '' : key.error;
};

const rsaPem = privatePem(rsa.privateKey);
const locked = rsa.privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
  .toString();
const lockedOld = rsa.privateKey
  .export({ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
  .toString();
const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey;
const garbled = rsaPem.replace(/\n[^-]{20}/, `\n${'A'.repeat(20)}`);

describe('a signing key', () => {
  const refused: Readonly<Record<string, readonly [text: string, algorithm: SigningAlgorithm, error: RegExp]>> = {
    'an empty file': ['', 'RS256', /^holds no PEM private key$/],
    'no PEM': ['{"kty":"RSA"}', 'RS256', /^holds no PEM private key$/],
    'a public key': [publicPem(rsa.publicKey), 'RS256', /^holds only a public key; signing needs the private key/],
    'a private key under a pass phrase': [locked, 'RS256', /encrypted/],
    'a private key under a pass phrase, in the old form': [lockedOld, 'RS256', /encrypted/],
    'two private keys': [rsaPem + privatePem(ec.privateKey), 'RS256', /^holds several private keys/],
    'a key cut short': [rsaPem.slice(0, 400), 'RS256', /^holds an unreadable private key$/],
    'a garbled key': [garbled, 'RS256', /^holds an unreadable private key$/],
    'a weak key': [privatePem(weak.privateKey), 'RS256', /^holds an RSA key of 1024 bits; at least 2048/],
    'a weak key for PSS': [privatePem(weak.privateKey), 'PS256', /^holds an RSA key of 1024 bits; at least 2048/],
    'an RSA key with parameters for PSS': [
      privatePem(pss),
      'PS256',
      /^holds a key of type rsa-pss, but PS256 needs RSA$/,
    ],
    'an RSA key for ES256': [rsaPem, 'ES256', /^holds a key of type rsa, but ES256 needs P-256$/],
    'an EC key for RS256': [privatePem(ec.privateKey), 'RS256', /^holds a key of type ec, but RS256 needs RSA$/],
    'a key on a longer curve': [
      privatePem(ecPair('P-384').privateKey),
      'ES256',
      /curve secp384r1, but ES256 needs P-256$/,
    ],
    'a key on a foreign curve': [privatePem(ecPair('secp256k1').privateKey), 'ES256', /curve secp256k1, but ES256/],
    'an Ed448 key': [
      privatePem(generateKeyPairSync('ed448').privateKey),
      'EdDSA',
      /type ed448, but EdDSA needs Ed25519$/,
    ],
    'an X25519 key': [
      privatePem(generateKeyPairSync('x25519').privateKey),
      'EdDSA',
      /type x25519, but EdDSA needs Ed25519$/,
    ],
    'an EC key with the public half of another one': [
      chimera(ec.privateKey, ecPair().publicKey),
      'ES256',
      /^holds a private key that does not match its public key$/,
    ],
    'an RSA key with the public half of another one': [
      chimera(rsa.privateKey, rsaPair().publicKey),
      'RS256',
      /^holds a private key that does not match its public key$/,
    ],
    'a short secret': ['0123456789abcdef0123456789abcde\n', 'HS256', /^has fewer than 32 bytes$/],
    'a private key for a secret': [rsaPem, 'HS256', /^holds a PEM key, but HS256 needs a secret$/],
    'a public key for a secret': [publicPem(rsa.publicKey), 'HS256', /^holds a PEM key, but HS256/],
    'a secret for a private key': ['0123456789abcdef0123456789abcdef', 'RS256', /^holds no PEM private key$/],
  };
  for (const [name, [text, algorithm, error]] of Object.entries(refused)) {
    it(`cannot be ${name}`, async () => {
      expect(await signingFault(text, algorithm)).toMatch(error);
    });
  }

  it('may be a binary secret of 32 octets', async () => {
    expect(await signingFault('0123456789abcdef0123456789abcdef\n', 'HS256')).toBe('');
    expect(await signingFault('ä'.repeat(16), 'HS256')).toBe('');
  });

  it('is refused in one clause without file content', async () => {
    for (const text of [
      rsaPem.slice(0, 400),
      garbled,
      locked,
      rsaPem + rsaPem,
      'a secret that is not to be seen here',
    ]) {
      for (const algorithm of signingAlgorithms) {
        const fault = await signingFault(text, algorithm);
        for (const line of text.split('\n').filter((each) => each.length > 8)) expect(fault).not.toContain(line);
        expect(fault).not.toMatch(/[\n:]|error/i);
      }
    }
  });
});

describe('a published key', () => {
  const algorithmOf = async (text: string, signing: SigningAlgorithm): Promise<SigningAlgorithm | string> => {
    const key = await keys.readPublishedKey(new Secret(text), signing);
    return key.ok ? key.value.algorithm : key.error;
  };

  it('is for the signing algorithm if it fits, otherwise for the usual one', async () => {
    for (const pem of [
      publicPem(rsa.publicKey),
      rsaPem,
      rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    ]) {
      expect(await algorithmOf(pem, 'RS256')).toBe('RS256');
      expect(await algorithmOf(pem, 'PS256')).toBe('PS256');
      for (const signing of ['ES256', 'EdDSA', 'HS256'] as const) expect(await algorithmOf(pem, signing)).toBe('RS256');
    }
    for (const signing of signingAlgorithms) {
      expect(await algorithmOf(publicPem(ec.publicKey), signing)).toBe('ES256');
      expect(await algorithmOf(privatePem(ed.privateKey), signing)).toBe('EdDSA');
    }
  });

  it('may be a secret only beside a secret, and is not shown', async () => {
    const secret = 'a secret of more than thirty-two octets';
    expect(await keys.readPublishedKey(new Secret(`${secret}\n`), 'HS256')).toMatchObject({
      ok: true,
      value: { algorithm: 'HS256', publicJwk: null },
    });
    for (const signing of ['RS256', 'PS256', 'ES256', 'EdDSA'] as const) {
      expect(await publishedFault(secret, signing)).toBe('holds no PEM key');
    }
    expect(await publishedFault('short', 'HS256')).toBe('has fewer than 32 bytes');
  });

  it.each([
    ['a weak one', publicPem(weak.publicKey), /^holds an RSA key of 1024 bits/],
    [
      'one on a curve that nothing is signed with',
      publicPem(ecPair('P-384').publicKey),
      /type ec on the curve secp384r1; use RSA/,
    ],
    [
      'one to agree on a key',
      publicPem(generateKeyPairSync('x25519').publicKey),
      /^holds a key of type x25519; use RSA/,
    ],
    ['several', publicPem(rsa.publicKey) + publicPem(ec.publicKey), /^holds several public keys/],
    ['a private one under a pass phrase', locked, /encrypted/],
    ['a garbled one', garbled, /^holds an unreadable private key$/],
    ['an empty block', '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n', /^holds no PEM public key$/],
    ['a label alone', '-----BEGIN ', /^holds no PEM public key$/],
  ])('cannot be %s', async (_name, text, error) => {
    expect(await publishedFault(text, 'RS256')).toMatch(error);
  });
});

describe('a client key', () => {
  it('verifies with every suitable algorithm, and only its own signatures', async () => {
    const fitting = { RS: rsa, PS: rsa, ES256: ec, ES384: ecPair('P-384'), ES512: ecPair('P-521'), EdDSA: ed };
    for (const [name, pair] of Object.entries(fitting)) {
      const read = await keys.readClientKey(publicPem(pair.publicKey));
      if (!read.ok) throw new Error(read.error);
      const named = asymmetricAlgorithms.filter((algorithm) =>
        pair === rsa ? /^[RP]S/.test(algorithm) : algorithm === name,
      );
      expect(read.value.map(({ algorithm }) => algorithm)).toEqual(named);
      for (const made of named) {
        const token = signToken(made, pair.privateKey, { iss: 'a' });
        expect(read.value.filter(({ verifier }) => verifier.isSigned(token)).map(({ algorithm }) => algorithm)).toEqual(
          [made],
        );
      }
    }
  });

  it.each([
    ['a private one', rsaPem, /^holds a private key; use the public key$/],
    ['a secret', 'a secret of more than thirty-two octets', /^holds no PEM public key$/],
    ['a JWK', JSON.stringify(publicJwk(rsa.publicKey)), /^holds no PEM public key$/],
    ['several', publicPem(rsa.publicKey) + publicPem(rsa.publicKey), /^holds several public keys/],
    ['a weak one', publicPem(weak.publicKey), /^holds an RSA key of 1024 bits/],
    ['one on a foreign curve', publicPem(ecPair('secp256k1').publicKey), /on the curve secp256k1; use RSA, P-256/],
    ['one to agree on a key', publicPem(generateKeyPairSync('x448').publicKey), /^holds a key of type x448; use RSA/],
  ])('cannot be %s', async (_name, pem, error) => {
    expect(await clientFault(pem)).toMatch(error);
  });
});
