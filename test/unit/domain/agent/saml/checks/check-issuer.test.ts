import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../../support/agent/verified-response.js';

describe('the issuer', () => {
  it.each(['https://evil.example/metadata', 'https://idp.example/metadata ', 'HTTPS://idp.example/metadata', ''])(
    'of the assertion may not be %j',
    (issuer) => {
      expect(refusalOf({ assertion: { issuer } })).toBe('wrong_issuer');
    },
  );

  it('of the response may be left out, and may not be another', () => {
    expect(refusalOf({ head: { issuer: null } })).toBeNull();
    expect(refusalOf({ head: { issuer: 'https://evil.example' } })).toBe('wrong_issuer');
    expect(refusalOf({ head: { issuer: '' } })).toBe('wrong_issuer');
  });
});
