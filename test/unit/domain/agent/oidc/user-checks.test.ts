import { describe, expect, it } from 'vitest';
import {
  acceptedUser,
  domainOfEmail,
  lacksClaims,
  type UserRules,
} from '../../../../../src/domain/agent/oidc/checks/user-checks.js';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';

const rules: UserRules = { userIdClaim: 'sub', allowedDomains: [], trustsUnverifiedEmail: false };
const verified: Claims = { sub: 'ann', email: 'ann@example.com', email_verified: true };

const outcome = (claims: Claims, changes: Partial<UserRules> = {}) => {
  const accepted = acceptedUser(claims, { ...rules, ...changes });
  return accepted.ok ? accepted.value : accepted.error;
};

describe('the user of a sign-on', () => {
  it('is named by the configured claim', () => {
    expect(outcome({ sub: 'ann' })).toBe('ann');
    expect(outcome(verified, { userIdClaim: 'email' })).toBe('ann@example.com');
    expect(outcome({ sub: 'a', oid: '7' }, { userIdClaim: 'oid' })).toBe('7');
  });

  it.each([
    ['no such claim', { email: 'a@b.c' }],
    ['an empty claim', { sub: '' }],
    ['a number', { sub: 7 }],
    ['a list', { sub: ['ann'] }],
    ['surrounding space', { sub: ' ann' }],
    ['257 characters', { sub: 'a'.repeat(257) }],
  ])('is refused with %s', (_what, claims) => {
    expect(outcome(claims)).toBe('unusable_user_id');
  });

  it('is never named by an inherited member', () => {
    expect(outcome({ sub: 'ann' }, { userIdClaim: 'constructor' })).toBe('unusable_user_id');
    expect(outcome({ sub: 'ann' }, { userIdClaim: '__proto__' })).toBe('unusable_user_id');
  });

  it.each([false, 'true', 1, null])('needs a verified address as user id, not email_verified %j', (value) => {
    const claims = { ...verified, email_verified: value };
    expect(outcome(claims, { userIdClaim: 'email' })).toBe('email_not_verified');
    expect(outcome(claims, { allowedDomains: ['example.com'] })).toBe('email_not_verified');
    expect(outcome(claims)).toBe('ann');
  });

  it('needs a verified address where email_verified is absent', () => {
    expect(outcome({ sub: 'a', email: 'a@example.com' }, { userIdClaim: 'email' })).toBe('email_not_verified');
    const trusting = { userIdClaim: 'email', trustsUnverifiedEmail: true };
    expect(outcome({ sub: 'a', email: 'a@example.com' }, trusting)).toBe('a@example.com');
  });

  it.each([
    ['ann@example.com', 'ann'],
    ['ann@EXAMPLE.Com', 'ann'],
    ['"a@b"@example.com', 'ann'],
    ['ann@example.com.evil.org', 'domain_not_allowed'],
    ['ann@evilexample.com', 'domain_not_allowed'],
    ['ann@sub.example.com', 'domain_not_allowed'],
    ['ann@example.com@evil.org', 'domain_not_allowed'],
    ['ann@example.com ', 'domain_not_allowed'],
    ['ann@example.com.', 'domain_not_allowed'],
    ['ann@\u212A.com', 'domain_not_allowed'],
    ['@example.com', 'domain_not_allowed'],
    ['example.com', 'domain_not_allowed'],
    ['ann@', 'domain_not_allowed'],
  ])('with the address %j: %s', (email, expected) => {
    expect(outcome({ ...verified, email }, { allowedDomains: ['example.com', 'k.com'] })).toBe(expected);
  });

  it('needs an address for an allowed domain', () => {
    expect(outcome({ sub: 'ann', email_verified: true }, { allowedDomains: ['example.com'] })).toBe(
      'domain_not_allowed',
    );
  });

  it('keeps letters outside ASCII in a domain', () => {
    expect(domainOfEmail('a@\u212A.COM')).toBe('\u212A.com');
  });
});

describe('the claims of an ID token', () => {
  it('lack what a rule or a header needs', () => {
    expect(lacksClaims({ sub: 'a' }, rules, [])).toBe(false);
    expect(lacksClaims({ sub: 'a' }, rules, ['groups'])).toBe(true);
    expect(lacksClaims({ sub: 'a' }, { ...rules, allowedDomains: ['x.org'] }, [])).toBe(true);
    expect(lacksClaims({ sub: 'a', email: 'a@x.org' }, { ...rules, userIdClaim: 'email' }, [])).toBe(true);
    expect(lacksClaims(verified, { ...rules, userIdClaim: 'email' }, ['email'])).toBe(false);
  });

  it('have a claim whose name contains dots, and one that a dotted path leads into', () => {
    const namespaced = 'https://portal.example.com/groups';
    expect(lacksClaims({ sub: 'a', [namespaced]: ['staff'] }, rules, [namespaced])).toBe(false);
    expect(lacksClaims({ sub: 'a' }, rules, [namespaced])).toBe(true);
    expect(lacksClaims({ sub: 'a', realm_access: { roles: [] } }, rules, ['realm_access.roles'])).toBe(false);
    expect(lacksClaims({ sub: 'a', realm: {} }, rules, ['realm_access.roles'])).toBe(true);
  });
});
