import { describe, expect, it } from 'vitest';
import { JoseVerificationKeys } from '../../../../../src/adapters/outbound/jose-tokens/jose-verification-keys.js';
import {
  type AsymmetricAlgorithm,
  asymmetricAlgorithms,
} from '../../../../../src/domain/agent/tokens/signature-algorithm.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { ecPair, pairFor, publicJwk, rsaPair } from '../../../../support/agent/test-tokens.js';

const keys = new JoseVerificationKeys();
/** `taken`, or why not. */
const outcome = async (algorithm: AsymmetricAlgorithm, jwk: JsonObject): Promise<string> => {
  const prepared = await keys.prepare({ algorithm, jwk });
  return prepared.ok ? 'taken' : prepared.error;
};

const rsa = rsaPair();
const [rsaJwk, p256Jwk, ed25519Jwk] = [rsa, ecPair('P-256'), pairFor('EdDSA')].map(({ publicKey }) =>
  publicJwk(publicKey),
) as [JsonObject, JsonObject, JsonObject];

/** An odd number of so many bits, in base64url. */
const modulus = (bits: number): string => {
  const octets = Buffer.alloc(Math.ceil(bits / 8), 0x5b);
  octets[0] = 1 << ((bits - 1) % 8);
  return octets.toString('base64url');
};
const number = (value: bigint): string => {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
};

describe('a public JWK', () => {
  it.each(asymmetricAlgorithms)('is taken for %s', async (algorithm) => {
    expect(await outcome(algorithm, publicJwk(pairFor(algorithm).publicKey))).toBe('taken');
  });

  it('is read by its own members alone: what else it says is for its set to judge', async () => {
    const chatty = {
      ...rsaJwk,
      alg: 'RSA-OAEP',
      use: 'enc',
      key_ops: ['encrypt'],
      ext: false,
      x5u: 'https://x',
      n2: 'x',
    };
    expect(await outcome('RS256', chatty)).toBe('taken');
  });

  it.each<[string, AsymmetricAlgorithm, JsonObject, RegExp]>([
    ['of RSA, for ES256', 'ES256', rsaJwk, /wrong type; ES256 needs EC/],
    ['of P-256, for RS256', 'RS256', p256Jwk, /wrong type; RS256 needs RSA/],
    ['of P-256, for EdDSA', 'EdDSA', p256Jwk, /wrong type; EdDSA needs OKP/],
    ['of P-256, for ES384', 'ES384', p256Jwk, /wrong curve; ES384 needs P-384/],
    ['of Ed25519, for ES256', 'ES256', ed25519Jwk, /wrong type/],
    ['of X25519, for EdDSA', 'EdDSA', { ...ed25519Jwk, crv: 'X25519' }, /wrong curve; EdDSA needs Ed25519/],
    ['of secp256k1, for ES256', 'ES256', publicJwk(ecPair('secp256k1').publicKey), /wrong curve; ES256 needs P-256/],
    ['that is symmetric', 'RS256', { kty: 'oct', k: 'AAAA' }, /private members/],
    ['without a type', 'RS256', { n: rsaJwk['n'] ?? '', e: 'AQAB' }, /wrong type/],
    ['whose type is no text', 'RS256', { ...rsaJwk, kty: ['RSA'] }, /wrong type/],
    ['without a modulus', 'RS256', { kty: 'RSA', e: 'AQAB' }, /member n/],
    ['whose modulus is empty', 'RS256', { ...rsaJwk, n: '' }, /member n/],
    ['whose modulus is a number', 'RS256', { ...rsaJwk, n: 7 }, /member n/],
    ['whose modulus is in the other base64', 'RS256', { ...rsaJwk, n: `${rsaJwk['n']}==` }, /member n/],
    ['whose exponent has a stray bit', 'RS256', { ...rsaJwk, e: 'AQAC=' }, /member e/],
    ['with a modulus of 2047 bits', 'RS256', { ...rsaJwk, n: modulus(2047) }, /2047 bits; at least 2048/],
    ['with a modulus of 8193 bits', 'PS512', { ...rsaJwk, n: modulus(8193) }, /8193 bits; at most 8192/],
    ['with the exponent 1', 'RS256', { ...rsaJwk, e: 'AQ' }, /exponent|no key/],
    ['with an even exponent', 'RS256', { ...rsaJwk, e: number(65_536n) }, /exponent|no key/],
    ['with the exponent 0', 'RS256', { ...rsaJwk, e: 'AA' }, /exponent|no key/],
    ['with an exponent as long as its modulus', 'RS256', { ...rsaJwk, e: modulus(2048) }, /exponent|no key/],
    ['whose point is off the curve', 'ES256', { ...p256Jwk, y: p256Jwk['x'] ?? '' }, /not a valid key for ES256/],
    [
      'whose point is at infinity',
      'ES256',
      { ...p256Jwk, x: number(0n).padEnd(43, 'A'), y: 'A'.repeat(43) },
      /not a valid key/,
    ],
    ['whose coordinate is short', 'ES256', { ...p256Jwk, x: Buffer.alloc(31, 1).toString('base64url') }, /member x/],
    ['whose coordinate is long', 'ES256', { ...p256Jwk, x: Buffer.alloc(33, 1).toString('base64url') }, /member x/],
    ['of Ed25519 with 31 octets', 'EdDSA', { ...ed25519Jwk, x: Buffer.alloc(31, 1).toString('base64url') }, /member x/],
  ])('is not taken: one %s', async (_, algorithm, jwk, reason) => {
    expect(await outcome(algorithm, jwk)).toMatch(reason);
  });

  it('is taken at the limits of what a modulus and an exponent may be', async () => {
    expect(await outcome('RS256', { ...rsaJwk, n: modulus(2048) })).toBe('taken');
    expect(await outcome('RS256', { ...rsaJwk, n: modulus(8192) })).toBe('taken');
    expect(await outcome('RS256', { ...rsaJwk, e: number(3n) })).toBe('taken');
    expect(await outcome('RS256', { ...rsaJwk, e: number(2n ** 32n - 1n) })).toBe('taken');
    expect(await outcome('RS256', { ...rsaJwk, e: number(2n ** 32n + 1n) })).toMatch(/exponent/);
  });

  it.each(asymmetricAlgorithms)('is not taken with a private member: %s', async (algorithm) => {
    const { privateKey, publicKey } = pairFor(algorithm);
    expect(await outcome(algorithm, publicJwk(privateKey))).toMatch(/private members/);
    for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) {
      expect(await outcome(algorithm, { ...publicJwk(publicKey), [member]: null })).toMatch(/private members/);
    }
  });

  it('is refused in a clause that holds nothing of the key', async () => {
    const jwk = publicJwk(rsaPair(1024).publicKey);
    const reason = await outcome('RS256', jwk);
    expect(reason).toBe('is an RSA key of 1024 bits; at least 2048 are required');
    expect(reason).not.toContain(String(jwk['n']).slice(0, 8));
  });
});
