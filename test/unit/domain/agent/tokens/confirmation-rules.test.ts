import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Claims, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { tokenBinding } from '../../../../../src/domain/agent/tokens/confirmation-rules.js';

const digest = createHash('sha256').update('a certificate').digest();
const thumbprint = digest.toString('base64url');
const bound = (cnf: unknown) => tokenBinding({ sub: 'ann', cnf } as Claims);

describe('the binding of a token', () => {
  it('is none if the token has no cnf', () => {
    expect(tokenBinding({ sub: 'ann' })).toEqual({ ok: true, value: { certificate: null, proofKey: null } });
    expect(tokenBinding({ 'x5t#S256': thumbprint })).toEqual({
      ok: true,
      value: { certificate: null, proofKey: null },
    });
  });

  it('is the certificate of cnf in hexadecimal', () => {
    expect(bound({ 'x5t#S256': thumbprint })).toEqual({
      ok: true,
      value: { certificate: digest.toString('hex'), proofKey: null },
    });
    expect(bound({ 'x5t#S256': thumbprint, kid: 'one' })).toEqual({
      ok: true,
      value: { certificate: digest.toString('hex'), proofKey: null },
    });
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

  it('is refused if cnf has no known member', () => {
    for (const cnf of [{}, { jwk: {} }, { kid: 'one' }, { x5t: 'a' }]) {
      expect(bound(cnf)).toEqual({ ok: false, error: 'unknown_confirmation' });
    }
  });

  it('is the DPoP key of cnf, alone or beside a certificate', () => {
    const hex = digest.toString('hex');
    expect(bound({ jkt: thumbprint })).toEqual({ ok: true, value: { certificate: null, proofKey: hex } });
    expect(bound({ jkt: thumbprint, 'x5t#S256': thumbprint })).toEqual({
      ok: true,
      value: { certificate: hex, proofKey: hex },
    });
    for (const cnf of [{ jkt: 'thumbprint' }, { jkt: 1, 'x5t#S256': thumbprint }, { jkt: thumbprint, 'x5t#S256': 1 }])
      expect(bound(cnf)).toEqual({ ok: false, error: 'malformed_confirmation' });
  });
});
