import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../../support/agent/verified-response.js';

describe('the Issuer check', () => {
  it.each(['https://evil.example/metadata', 'https://idp.example/metadata ', 'HTTPS://idp.example/metadata', ''])(
    'refuses the assertion issuer %j',
    (issuer) => {
      expect(refusalOf({ assertion: { issuer } })).toBe('wrong_issuer');
    },
  );

  it('accepts an absent response issuer, but no other one', () => {
    expect(refusalOf({ head: { issuer: null } })).toBeNull();
    expect(refusalOf({ head: { issuer: 'https://evil.example' } })).toBe('wrong_issuer');
    expect(refusalOf({ head: { issuer: '' } })).toBe('wrong_issuer');
  });
});
