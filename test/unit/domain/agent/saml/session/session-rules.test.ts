import { describe, expect, it } from 'vitest';
import { type SessionRules, sessionStanding } from '../../../../../../src/domain/agent/saml/session/session-rules.js';

const session = { issuer: 'https://idp.example', expiresMs: 10_000, lastSeenMs: 1_000 };
const standing = (rules: Partial<SessionRules>) =>
  sessionStanding(session, { nowMs: 2_000, idleMs: null, issuer: session.issuer, ...rules });

describe('a session', () => {
  it('counts until the moment it expires at', () => {
    expect(standing({ nowMs: 9_999 })).toBe('active');
    expect(standing({ nowMs: 10_000 })).toBe('expired');
  });

  it('counts until it has not been used for so long', () => {
    expect(standing({ nowMs: 1_499, idleMs: 500 })).toBe('active');
    expect(standing({ nowMs: 1_500, idleMs: 500 })).toBe('idle');
    expect(standing({ nowMs: 10_000, idleMs: 500 })).toBe('expired');
  });

  it('counts for the identity provider that opened it alone', () => {
    expect(standing({ issuer: 'https://other.example' })).toBe('other_issuer');
    expect(standing({ issuer: null })).toBe('active');
  });
});
