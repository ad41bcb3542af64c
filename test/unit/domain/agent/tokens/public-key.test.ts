import { describe, expect, it } from 'vitest';
import { readPublicKeys } from '../../../../../src/domain/agent/tokens/public-key.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';

const rsa = { kty: 'RSA', n: 'n', e: 'AQAB' };
const ec = (crv: string) => ({ kty: 'EC', crv, x: 'x', y: 'y' });
const ed = { kty: 'OKP', crv: 'Ed25519', x: 'x' };

describe('readPublicKeys', () => {
  it.each<[JsonObject, string]>([
    [rsa, 'RS256'],
    [ec('P-256'), 'ES256'],
    [ec('P-384'), 'ES384'],
    [ec('P-521'), 'ES512'],
    [ed, 'EdDSA'],
    [{ ...ed, alg: 'EdDSA' }, 'EdDSA'],
    [{ ...ed, alg: 'Ed25519' }, 'EdDSA'],
    [{ ...rsa, alg: 'PS512' }, 'PS512'],
    [{ ...rsa, alg: 'RS384' }, 'RS384'],
    [{ ...ec('P-384'), alg: 'ES384' }, 'ES384'],
  ])('binds %o to its declared algorithm, otherwise to that of its kind', (jwk, algorithm) => {
    expect(readPublicKeys(jwk, null)).toMatchObject({ ok: true, value: [{ algorithm, kid: null }] });
  });

  it('keeps only the key material', () => {
    const jwk = { ...ec('P-256'), kid: 'one', use: 'sig', key_ops: ['verify'], x5u: 'https://evil.example', n: 'n' };
    expect(readPublicKeys(jwk, null)).toMatchObject({ ok: true, value: [{ kid: 'one', jwk: ec('P-256') }] });
    const read = readPublicKeys(jwk, null);
    expect(read.ok && Object.keys(read.value[0]?.jwk ?? {})).toEqual(['kty', 'crv', 'x', 'y']);
  });

  it.each<[string, JsonObject, string]>([
    ['of a shared secret', { kty: 'oct', k: 'AAAA' }, 'has secret members'],
    ['with the private half', { ...ec('P-256'), d: 'd' }, 'has secret members'],
    ['with a private factor', { ...rsa, p: 'p' }, 'has secret members'],
    ['of an unknown type', { kty: 'AKP', pub: 'x' }, 'has an unsupported type'],
    ['without a type', { n: 'n', e: 'e' }, 'has an unsupported type'],
    ['on an unknown curve', ec('secp256k1'), 'has an unsupported curve'],
    ['on a curve of another type', { ...ec('Ed25519') }, 'has an unsupported curve'],
    ['for key agreement', { kty: 'OKP', crv: 'X25519', x: 'x' }, 'has an unsupported curve'],
    ['for encryption', { ...rsa, use: 'enc' }, 'is not for signatures'],
    ['for other operations', { ...rsa, key_ops: ['encrypt'] }, 'is not for signatures'],
    ['with operations that are no list', { ...rsa, key_ops: 'verify' }, 'is not for signatures'],
    ['for a symmetric algorithm', { ...rsa, alg: 'HS256' }, 'is for an unsupported algorithm'],
    ['for no algorithm', { ...rsa, alg: 'none' }, 'is for an unsupported algorithm'],
    ['for encryption by its algorithm', { ...rsa, alg: 'RSA-OAEP' }, 'is for an unsupported algorithm'],
    ['for the algorithm of another curve', { ...ec('P-256'), alg: 'ES384' }, 'names ES384'],
    ['for the algorithm of another type', { ...ec('P-256'), alg: 'RS256' }, 'names RS256'],
    ['for Ed25519 and of another type', { ...ec('P-256'), alg: 'Ed25519' }, 'names EdDSA'],
    ['for Ed448', { ...ed, alg: 'Ed448' }, 'is for an unsupported algorithm'],
    ['with a kid that is no text', { ...rsa, kid: 7 }, 'has no usable kid'],
    ['with a kid without end', { ...rsa, kid: 'k'.repeat(257) }, 'has no usable kid'],
    ['without its numbers', { kty: 'RSA', e: 'AQAB' }, 'has no usable member n'],
    ['with numbers that are no text', { ...ed, x: 7 }, 'has no usable member x'],
    ['with numbers without end', { ...rsa, n: 'n'.repeat(2049) }, 'has no usable member n'],
  ])('refuses a key %s', (_, jwk, reason) => {
    const read = readPublicKeys(jwk, null);
    expect(read.ok ? null : read.error).toContain(reason);
  });

  it('distinguishes keys by every relevant member', () => {
    const identityOf = (jwk: JsonObject) => {
      const read = readPublicKeys(jwk, null);
      return read.ok ? read.value[0]?.identity : read.error;
    };
    const different = [ec('P-256'), { ...ec('P-256'), kid: 'a' }, { ...ec('P-256'), x: 'z' }, ed, rsa];
    expect(new Set([...different, { ...rsa, alg: 'PS256' }].map(identityOf)).size).toBe(6);
    expect(identityOf({ ...rsa, use: 'sig', alg: 'RS256' })).toBe(identityOf(rsa));
  });

  it('reads a key without alg once for each accepted algorithm of its kind', () => {
    const read = readPublicKeys({ ...rsa, kid: 'one' }, ['PS256', 'RS512', 'ES256']);
    expect(read.ok && read.value.map(({ kid, algorithm }) => `${kid} ${algorithm}`)).toEqual([
      'one RS512',
      'one PS256',
    ]);
  });

  it('never widens the declared use of a key', () => {
    const read = readPublicKeys({ ...rsa, alg: 'RS256' }, ['RS256', 'PS256']);
    expect(read.ok && read.value.map(({ algorithm }) => algorithm)).toEqual(['RS256']);
  });

  it.each<[string, JsonObject]>([
    ['whose alg is not accepted', { ...rsa, alg: 'RS512' }],
    ['of a kind that none of them fits', ed],
  ])('refuses a key %s', (_, jwk) => {
    const read = readPublicKeys(jwk, ['RS256', 'ES256']);
    expect(read.ok ? null : read.error).toContain('accepted');
  });
});
