import { describe, expect, it } from 'vitest';
import {
  type AuthenticationFailure,
  moreUsefulFailure,
} from '../../../../../src/domain/agent/identity/authentication-failure.js';

const failure = (method: AuthenticationFailure['method'], reason: AuthenticationFailure['reason']) => ({
  method,
  reason,
});

const told = (...failures: readonly AuthenticationFailure[]) => {
  const found = failures.reduce<AuthenticationFailure | null>(moreUsefulFailure, null);
  return found === null ? null : `${found.method} ${found.reason}`;
};

describe('the reported one of several failures', () => {
  it('is the first, if they are equally specific', () => {
    expect(told(failure('oidc', 'unknown_issuer'), failure('jwt', 'bad_signature'))).toBe('oidc unknown_issuer');
    expect(told(failure('oidc', 'expired'), failure('jwt', 'wrong_audience'))).toBe('oidc expired');
    expect(told(failure('api_key', 'unknown_credentials'))).toBe('api_key unknown_credentials');
  });

  it('is the one of a genuine credential', () => {
    expect(told(failure('oidc', 'unknown_issuer'), failure('jwt', 'expired'))).toBe('jwt expired');
    expect(told(failure('mtls', 'certificate_untrusted'), failure('oidc', 'wrong_audience'))).toBe(
      'oidc wrong_audience',
    );
    expect(told(failure('mtls', 'certificate_not_allowed'), failure('basic', 'unknown_credentials'))).toBe(
      'mtls certificate_not_allowed',
    );
  });

  it('is a missing scope before all others, in any order', () => {
    expect(told(failure('mtls', 'certificate_expired'), failure('oidc', 'insufficient_scope'))).toBe(
      'oidc insufficient_scope',
    );
    expect(told(failure('oidc', 'insufficient_scope'), failure('jwt', 'expired'))).toBe('oidc insufficient_scope');
  });
});
