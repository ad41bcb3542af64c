import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Claims, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { boundCertificate } from '../../../../../src/domain/agent/tokens/confirmation-rules.js';

const digest = createHash('sha256').update('a certificate').digest();
const thumbprint = digest.toString('base64url');
const bound = (cnf: unknown) => boundCertificate({ sub: 'ann', cnf } as Claims);

describe('the certificate of a bound token', () => {
  it('is null if the token has no cnf', () => {
    expect(boundCertificate({ sub: 'ann' })).toEqual({ ok: true, value: null });
    expect(boundCertificate({ 'x5t#S256': thumbprint })).toEqual({ ok: true, value: null });
  });

  it('is the cnf thumbprint in hexadecimal', () => {
    expect(bound({ 'x5t#S256': thumbprint })).toEqual({ ok: true, value: digest.toString('hex') });
    expect(bound({ 'x5t#S256': thumbprint, kid: 'one' })).toEqual({ ok: true, value: digest.toString('hex') });
  });

  it.each([
    ['null', null],
    ['a text', thumbprint],
    ['a list', [{ 'x5t#S256': thumbprint }]],
    ['a number', new SpelledNumber('1.50')],
    ['a thumbprint that is no text', { 'x5t#S256': 1 }],
    ['a list of thumbprints', { 'x5t#S256': [thumbprint] }],
    ['an empty thumbprint', { 'x5t#S256': '' }],
    ['a thumbprint of SHA-1', { 'x5t#S256': digest.subarray(0, 20).toString('base64url') }],
    ['a longer thumbprint', { 'x5t#S256': `${thumbprint}AA` }],
    ['padding', { 'x5t#S256': `${thumbprint}=` }],
    ['standard base64', { 'x5t#S256': '+/'.repeat(21).concat('A') }],
    ['hexadecimal', { 'x5t#S256': digest.toString('hex') }],
    ['bits left over', { 'x5t#S256': `${'A'.repeat(42)}B` }],
  ])('cannot be read from %s', (_name, cnf) => {
    expect(bound(cnf)).toEqual({ ok: false, error: 'malformed_confirmation' });
  });

  it('is refused if cnf has no known member, or names a DPoP key', () => {
    for (const cnf of [{}, { jwk: {} }, { kid: 'one' }, { x5t: 'a' }]) {
      expect(bound(cnf)).toEqual({ ok: false, error: 'unknown_confirmation' });
    }
    expect(bound({ jkt: 'thumbprint' })).toEqual({ ok: false, error: 'dpop_not_supported' });
    expect(bound({ jkt: 1, 'x5t#S256': thumbprint })).toEqual({ ok: false, error: 'dpop_not_supported' });
  });
});
