import { describe, expect, it } from 'vitest';
import { isLogoutTokenType, readLogoutToken } from '../../../../../src/domain/agent/oidc/checks/logout-token-checks.js';
import type { Claims } from '../../../../../src/domain/agent/tokens/claims.js';

const nowMs = 1_700_000_000_000;
const now = nowMs / 1000;
const event = 'http://schemas.openid.net/event/backchannel-logout';
const expectation = { nowMs, clockSkewMs: 30_000, issuer: 'https://id.example', clientId: 'portal' };
const honest: Claims = {
  iss: 'https://id.example',
  aud: 'portal',
  iat: now,
  exp: now + 120,
  jti: 'j1',
  events: { [event]: {} },
  sub: 'ann',
  sid: 's1',
};
const without = (...names: readonly string[]): Claims =>
  Object.fromEntries(Object.entries(honest).filter(([name]) => !names.includes(name)));
const fault = (claims: Claims) => {
  const read = readLogoutToken(claims, expectation);
  return read.ok ? null : read.error;
};

describe('the claims of a logout token', () => {
  it('name a subject, a session, or both', () => {
    const value = { id: 'j1', subject: 'ann', session: 's1', untilMs: nowMs + 150_000 };
    expect(readLogoutToken(honest, expectation)).toEqual({ ok: true, value });
    expect(readLogoutToken(without('sid'), expectation)).toEqual({ ok: true, value: { ...value, session: null } });
    expect(readLogoutToken(without('sub'), expectation)).toEqual({ ok: true, value: { ...value, subject: null } });
  });

  it('need no expiry, and may have several audiences', () => {
    expect(fault(without('exp'))).toBeNull();
    expect(fault({ ...honest, aud: ['other', 'portal'] })).toBeNull();
    expect(fault({ ...honest, iat: now - 149 })).toBeNull();
  });

  it.each<[string, string, Claims]>([
    ['another issuer', 'wrong_issuer', { ...honest, iss: 'https://id.example/' }],
    ['another audience', 'wrong_audience', { ...honest, aud: ['other'] }],
    ['no audience', 'wrong_audience', without('aud')],
    ['no issue time', 'missing_issued_at', without('iat')],
    ['an issue time that is text', 'missing_issued_at', { ...honest, iat: String(now) }],
    ['an issue time in the future', 'issued_in_future', { ...honest, iat: now + 31 }],
    ['an issue time two minutes ago', 'issued_too_long_ago', { ...honest, iat: now - 150 }],
    ['an expiry in the past', 'expired', { ...honest, exp: now - 30 }],
    ['an expiry that is text', 'malformed', { ...honest, exp: 'never' }],
    ['no events', 'wrong_event', without('events')],
    ['events that are text', 'wrong_event', { ...honest, events: event }],
    ['a list of events', 'wrong_event', { ...honest, events: [event] }],
    ['another event', 'wrong_event', { ...honest, events: { 'http://schemas.openid.net/event/other': {} } }],
    ['an event that is no object', 'wrong_event', { ...honest, events: { [event]: true } }],
    ['a nonce', 'unexpected_nonce', { ...honest, nonce: 'n' }],
    ['a nonce that is null', 'unexpected_nonce', { ...honest, nonce: null }],
    ['no name', 'missing_token_id', without('jti')],
    ['an empty name', 'missing_token_id', { ...honest, jti: '' }],
    ['a very long name', 'missing_token_id', { ...honest, jti: 'j'.repeat(1_025) }],
    ['neither subject nor session', 'names_no_session', without('sub', 'sid')],
    ['an empty session', 'names_no_session', { ...honest, sid: '' }],
    ['a session that is a number', 'names_no_session', { ...honest, sid: 7 }],
    ['a subject that is a list', 'names_no_session', { ...honest, sub: ['ann'] }],
  ])('are refused with %s', (_title, reason, claims) => {
    expect(fault(claims)).toBe(reason);
  });
});

describe('the type of a logout token', () => {
  it('is absent, that of a JWT, or that of a logout token', () => {
    for (const typ of ['logout+jwt', 'application/logout+jwt', 'Logout+JWT', 'JWT']) {
      expect(isLogoutTokenType({ typ })).toBe(true);
    }
    expect(isLogoutTokenType({})).toBe(true);
    for (const typ of ['at+jwt', 'dpop+jwt', '', null, 7, ['logout+jwt']])
      expect(isLogoutTokenType({ typ })).toBe(false);
  });
});
