import { describe, expect, it } from 'vitest';
import {
  type RefreshedIdTokenExpectation,
  refreshedClaims,
  refreshedIdTokenFault,
} from '../../../../../src/domain/agent/oidc/checks/refreshed-id-token-checks.js';
import { type Claims, SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';

const nowSecs = 1_700_000_000;
const before: Claims = { sub: 'ann', auth_time: nowSecs - 900, acr: 'urn:mfa', iat: nowSecs - 900, nonce: 'n-1' };
const claims: Claims = { iss: 'https://id.example', sub: 'ann', aud: 'portal', iat: nowSecs };
const expectation: RefreshedIdTokenExpectation = {
  clientId: 'portal',
  clockSkewMs: 30_000,
  requestedMs: nowSecs * 1000,
  accessTokenHash: 'at',
  acrValues: [],
  before,
};

const faultOf = (changes: Claims, expected: Partial<RefreshedIdTokenExpectation> = {}) =>
  refreshedIdTokenFault({ ...claims, ...changes }, { ...expectation, ...expected });

describe('the checks of the ID token of a refresh', () => {
  it('accept a token of the same user, without a nonce', () => {
    expect(faultOf({})).toBeNull();
    expect(faultOf({ azp: 'portal', at_hash: 'at', auth_time: nowSecs - 900, nonce: 'any' })).toBeNull();
    expect(faultOf({ auth_time: new SpelledNumber(String(nowSecs - 900)) })).toBeNull();
    expect(faultOf({ auth_time: 5 }, { before: { sub: 'ann' } })).toBeNull();
    expect(faultOf({}, { acrValues: ['urn:mfa'] })).toBeNull();
    expect(faultOf({ acr: 'urn:other' }, { acrValues: ['urn:other'] })).toBeNull();
    // A page asked for more than the login does.
    expect(faultOf({ acr: 'urn:mfa' }, { acrValues: ['urn:pwd'] })).toBeNull();
  });

  it.each<readonly [string, Claims, string]>([
    ['another subject', { sub: 'bob' }, 'other_subject'],
    ['another spelling of the subject', { sub: 'Ann' }, 'other_subject'],
    ['a list as subject', { sub: ['ann'] }, 'other_subject'],
    ['another authorized party', { azp: 'other' }, 'wrong_party'],
    ['no issue time', { iat: 'now' }, 'missing_issued_at'],
    ['an issue time before the refresh', { iat: nowSecs - 60 }, 'issued_too_long_ago'],
    ['the hash of another access token', { at_hash: 'other' }, 'wrong_access_token_hash'],
    ['a hash that is null', { at_hash: null }, 'wrong_access_token_hash'],
    ['another time of authentication', { auth_time: nowSecs }, 'other_authentication_time'],
    ['a time of authentication that is text', { auth_time: String(nowSecs - 900) }, 'other_authentication_time'],
  ])('refuse %s', (_what, changes, fault) => {
    expect(faultOf(changes)).toBe(fault);
  });

  it('refuse another authentication context than the requested ones', () => {
    expect(faultOf({ acr: 'urn:pwd' }, { acrValues: ['urn:x'] })).toBe('wrong_authentication_context');
    expect(faultOf({ acr: ['urn:pwd'] }, { acrValues: ['urn:pwd'] })).toBe('wrong_authentication_context');
  });

  it('refuse every subject if the session has none', () => {
    expect(faultOf({}, { before: {} })).toBe('other_subject');
    expect(faultOf({}, { before: Object.create({ sub: 'ann' }) as Claims })).toBe('other_subject');
  });
});

describe('the claims after a refresh', () => {
  it('are those of the new token, with what only the first one says of the sign-on', () => {
    const now: Claims = { sub: 'ann', iat: nowSecs, groups: ['b'], acr: 'urn:pwd' };
    expect(refreshedClaims({ ...before, groups: ['a'], department: 'x', sid: 's1' }, now)).toEqual({
      ...now,
      auth_time: nowSecs - 900,
      nonce: 'n-1',
      sid: 's1',
    });
  });
});
