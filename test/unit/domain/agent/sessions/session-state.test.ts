import { describe, expect, it } from 'vitest';
import { type SessionRules, sessionState } from '../../../../../src/domain/agent/sessions/session-state.js';

const session = { provider: 'https://idp.example', expiresMs: 10_000, lastSeenMs: 1_000 };
const standing = (rules: Partial<SessionRules>) =>
  sessionState(session, { nowMs: 2_000, idleMs: null, provider: session.provider, ...rules });

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
    expect(standing({ provider: 'https://other.example' })).toBe('other_provider');
    expect(standing({ provider: null })).toBe('active');
  });
});
