import { describe, expect, it } from 'vitest';
import {
  authenticationDetails,
  isOfThisRound,
  type SessionAuthentication,
  sessionAuthentication,
  signOnRoundMs,
  unmetRequirement,
} from '../../../../../src/domain/agent/sessions/session-authentication.js';
import { required } from '../../../../support/agent/step-up-rules-of.js';

const nowMs = Date.UTC(2026, 0, 2);

const stored = (stated: Partial<SessionAuthentication>, clockSkewMs = 30_000) =>
  sessionAuthentication({
    details: authenticationDetails(
      { providerName: 'corp', acr: 'urn:mfa', authenticatedMs: nowMs, ...stated, nowMs, clockSkewMs },
      null,
    ),
  });

describe('the authentication of a session', () => {
  it('is read as it was stored', () => {
    expect(stored({ authenticatedMs: nowMs - 5_500 })).toEqual({
      providerName: 'corp',
      acr: 'urn:mfa',
      authenticatedMs: nowMs - 5_500,
    });
    expect(stored({ providerName: null, acr: null, authenticatedMs: null })).toEqual({
      providerName: null,
      acr: null,
      authenticatedMs: null,
    });
  });

  it('is never later than the sign-on, and unknown if it is beyond the tolerance', () => {
    expect(stored({ authenticatedMs: nowMs + 30_000 }).authenticatedMs).toBe(nowMs);
    expect(stored({ authenticatedMs: nowMs + 30_001 }).authenticatedMs).toBeNull();
    expect(stored({ authenticatedMs: Number.POSITIVE_INFINITY }).authenticatedMs).toBeNull();
    expect(stored({ authenticatedMs: Number.NaN }).authenticatedMs).toBeNull();
  });

  it('keeps no context that no configuration can name', () => {
    expect(stored({ acr: 'a'.repeat(257) }).acr).toBeNull();
  });

  it.each(['', '-1', '1e99', '12x', ' 1', '9'.repeat(17)])('has no time if the stored text is "%s"', (text) => {
    expect(sessionAuthentication({ details: { auth_time_ms: text } }).authenticatedMs).toBeNull();
  });

  it('states nothing in a session of an earlier release, so every requirement is unmet', () => {
    const earlier = sessionAuthentication({ details: { claims: '{"acr":"urn:mfa","auth_time":1767312000}' } });
    const moment = { nowMs, clockSkewMs: 600_000 };
    expect(unmetRequirement(earlier, required({ provider: 'corp' }), moment)).toBe('other_provider');
    expect(unmetRequirement(earlier, required({ acrValues: ['urn:mfa'] }), moment)).toBe(
      'other_authentication_context',
    );
    expect(unmetRequirement(earlier, required({ maxAgeSecs: 31_536_000 }), moment)).toBe('authentication_too_old');
  });
});

describe('a requirement', () => {
  const authentication: SessionAuthentication = { providerName: 'corp', acr: 'urn:pwd', authenticatedMs: nowMs };
  const unmet = (some: Parameters<typeof required>[0], afterMs = 0) =>
    unmetRequirement(authentication, required(some), { nowMs: nowMs + afterMs, clockSkewMs: 1_000 });

  it.each([
    [{}, 0, null],
    [{ provider: 'corp' }, 0, null],
    [{ provider: 'Corp' }, 0, 'other_provider'],
    [{ acrValues: ['urn:mfa', 'urn:pwd'] }, 0, null],
    [{ acrValues: ['urn:mfa'] }, 0, 'other_authentication_context'],
    [{ acrValues: ['URN:PWD'] }, 0, 'other_authentication_context'],
    [{ maxAgeSecs: 300 }, 301_000, null],
    [{ maxAgeSecs: 300 }, 301_001, 'authentication_too_old'],
    // The clock was set back.
    [{ maxAgeSecs: 300 }, -1_000, null],
    [{ maxAgeSecs: 300 }, -1_001, 'authentication_too_old'],
  ] as const)('%j, %i ms after the authentication, misses: %s', (some, afterMs, expected) => {
    expect(unmet(some, afterMs)).toBe(expected);
  });
});

describe('a session of this round', () => {
  const details = authenticationDetails(
    { providerName: 'corp', acr: null, authenticatedMs: null, nowMs, clockSkewMs: 0 },
    'page-1',
  );
  const session = { details, createdMs: nowMs };

  it('is one for this page, for half a minute', () => {
    expect(isOfThisRound(session, 'page-1', nowMs)).toBe(true);
    expect(isOfThisRound(session, 'page-1', nowMs + signOnRoundMs - 1)).toBe(true);
    expect(isOfThisRound(session, 'page-1', nowMs + signOnRoundMs)).toBe(false);
    expect(isOfThisRound(session, 'page-2', nowMs)).toBe(false);
    expect(isOfThisRound({ details: {}, createdMs: nowMs }, 'page-1', nowMs)).toBe(false);
  });

  it('counts too if its process has a clock that is ahead', () => {
    expect(isOfThisRound(session, 'page-1', nowMs - signOnRoundMs + 1)).toBe(true);
    expect(isOfThisRound(session, 'page-1', nowMs - signOnRoundMs)).toBe(false);
  });
});
