import { describe, expect, it } from 'vitest';
import { type SessionRules, sessionState } from '../../../../../src/domain/agent/sessions/session-state.js';

const session = { provider: 'https://idp.example', expiresMs: 10_000, lastSeenMs: 1_000 };
const standing = (rules: Partial<SessionRules>) =>
  sessionState(session, { nowMs: 2_000, idleMs: null, provider: session.provider, ...rules });

describe('a session', () => {
  it('is active until its expiry', () => {
    expect(standing({ nowMs: 9_999 })).toBe('active');
    expect(standing({ nowMs: 10_000 })).toBe('expired');
  });

  it('is active until the idle timeout', () => {
    expect(standing({ nowMs: 1_499, idleMs: 500 })).toBe('active');
    expect(standing({ nowMs: 1_500, idleMs: 500 })).toBe('idle');
    expect(standing({ nowMs: 10_000, idleMs: 500 })).toBe('expired');
  });

  it('is active only for the identity provider that opened it', () => {
    expect(standing({ provider: 'https://other.example' })).toBe('other_provider');
    expect(standing({ provider: null })).toBe('active');
  });
});
