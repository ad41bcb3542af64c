import { describe, expect, it } from 'vitest';
import { type SessionRules, sessionState } from '../../../../../src/domain/agent/sessions/session-state.js';

const session = { method: 'saml', provider: 'https://idp.example', expiresMs: 10_000, lastSeenMs: 1_000 } as const;
const standing = (rules: Partial<SessionRules>) =>
  sessionState(session, { nowMs: 2_000, idleMs: null, accepts: () => true, ...rules });

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

  it('is active only while its method and identity provider are accepted', () => {
    expect(standing({ accepts: ({ provider }) => provider === 'https://idp.example' })).toBe('active');
    expect(standing({ accepts: ({ provider }) => provider === 'https://other.example' })).toBe('other_provider');
    expect(standing({ accepts: ({ method }) => method === 'oidc' })).toBe('other_provider');
  });
});
