import { describe, expect, it } from 'vitest';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';
import { checkIdTokenClaims, checkIdTokenHeader } from '../../../../../src/domain/agent/tokens/id-token-rules.js';
import type { JsonValue } from '../../../../../src/domain/shared/json.js';

describe('checkIdTokenHeader', () => {
  it.each<[JsonValue | undefined, string | null]>([
    [undefined, null],
    ['JWT', null],
    ['jwt', null],
    ['at+jwt', 'wrong_type'],
    ['application/at+jwt', 'wrong_type'],
    ['AT+JWT', 'wrong_type'],
    ['logout+jwt', 'wrong_type'],
    ['', 'wrong_type'],
    [null, 'wrong_type'],
    [['JWT'], 'wrong_type'],
  ])('maps the type %j to %j', (typ, rejection) => {
    expect(checkIdTokenHeader(typ === undefined ? {} : { typ })).toBe(rejection);
  });
});

const now = 1_800_000_000;
const issuer = 'https://id.example';
const good: Claims = { iss: issuer, sub: 'ann', aud: 'app', iat: now, exp: now + 60 };
/** `accepted`, or why not. */
const told = (claims: Claims, audiences: readonly string[] = ['app']): string => {
  const checked = checkIdTokenClaims(claims, { issuer, audiences, clockSkewMs: 30_000 }, now * 1000);
  return checked.ok ? 'accepted' : checked.error;
};
const { iat: _, ...ageless } = good;

describe('checkIdTokenClaims', () => {
  it.each<[string, Claims]>([
    ['for one client', good],
    ['for one client in a list', { ...good, aud: ['app'] }],
    ['for one client that says it has asked for it', { ...good, azp: 'app' }],
    ['for several, of which that one has asked for it', { ...good, aud: ['web', 'app'], azp: 'app' }],
  ])('accepts a token %s', (_case, claims) => {
    expect(told(claims)).toBe('accepted');
  });

  it.each<[string, Claims, string]>([
    ['without its age', ageless, 'missing_issued_at'],
    ['with an age that is no number', { ...good, iat: 'now' }, 'malformed'],
    ['that was issued in the future', { ...good, iat: now + 31 }, 'issued_in_future'],
    ['that has expired', { ...good, exp: now - 30 }, 'expired'],
    ['of another issuer', { ...good, iss: 'https://other.example' }, 'wrong_issuer'],
    ['for another client', { ...good, aud: 'web' }, 'wrong_audience'],
    ['for nobody', { ...good, aud: [] }, 'wrong_audience'],
    ['for several that does not say who has asked for it', { ...good, aud: ['app', 'web'] }, 'wrong_party'],
    ['that another has asked for', { ...good, aud: ['app', 'web'], azp: 'web' }, 'wrong_party'],
    ['for one client that another has asked for', { ...good, azp: 'web' }, 'wrong_party'],
    ['that several have asked for', { ...good, azp: ['app'] }, 'wrong_party'],
    ['that nobody has asked for', { ...good, azp: null }, 'wrong_party'],
    ['without a subject', { ...good, sub: '' }, 'unusable_subject'],
  ])('refuses a token %s', (_case, claims, reason) => {
    expect(told(claims)).toBe(reason);
  });

  it('refuses every token without a configured audience', () => {
    expect(told(good, [])).toBe('wrong_audience');
    const { aud: _aud, ...forNobody } = good;
    expect(told(forNobody, [])).toBe('wrong_audience');
  });
});
