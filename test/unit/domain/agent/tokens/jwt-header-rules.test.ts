import { describe, expect, it } from 'vitest';
import { checkJwtHeader } from '../../../../../src/domain/agent/tokens/oidc-header-rules.js';

describe('checkJwtHeader', () => {
  it('accepts only the configured algorithm', () => {
    expect(checkJwtHeader({ alg: 'RS256' }, 'RS256')).toBeNull();
    for (const alg of ['none', 'None', 'HS256', 'rs256', 'PS256', '', null, ['RS256']]) {
      expect(checkJwtHeader({ alg }, 'RS256')).toBe('wrong_algorithm');
    }
    expect(checkJwtHeader({}, 'RS256')).toBe('wrong_algorithm');
  });

  it('treats Ed25519 and EdDSA as one algorithm, equal to no other', () => {
    expect(checkJwtHeader({ alg: 'Ed25519' }, 'EdDSA')).toBeNull();
    expect(checkJwtHeader({ alg: 'EdDSA' }, 'EdDSA')).toBeNull();
    expect(checkJwtHeader({ alg: 'Ed448' }, 'EdDSA')).toBe('wrong_algorithm');
    expect(checkJwtHeader({ alg: 'Ed25519' }, 'HS256')).toBe('wrong_algorithm');
  });

  it('refuses every critical extension, including an empty list', () => {
    expect(checkJwtHeader({ alg: 'RS256', crit: ['exp'], exp: 1 }, 'RS256')).toBe('critical_header');
    expect(checkJwtHeader({ alg: 'RS256', crit: [] }, 'RS256')).toBe('critical_header');
  });

  it('ignores other members', () => {
    expect(checkJwtHeader({ alg: 'RS256', typ: 'at+jwt', jku: 'https://evil.example', jwk: {} }, 'RS256')).toBeNull();
  });
});
