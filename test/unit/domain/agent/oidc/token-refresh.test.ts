import { describe, expect, it } from 'vitest';
import {
  failedRefreshDetails,
  type RefreshPolicy,
  readSessionTokens,
  refreshBackoffMs,
  refreshDueMs,
  refreshFailures,
  type SessionTokens,
  tokenDetails,
  tokenState,
  withoutTokenDetails,
} from '../../../../../src/domain/agent/oidc/token-refresh.js';

const kept: RefreshPolicy = { forwards: false, graceMs: 300_000 };
const forwarded: RefreshPolicy = { forwards: true, graceMs: 0 };
const tokens: SessionTokens = {
  life: { fromMs: 0, untilMs: 100_000 },
  hasAccessToken: true,
  hasRefreshToken: true,
};

const statesAt = (times: readonly number[], use: RefreshPolicy, changes: Partial<SessionTokens> = {}) =>
  times.map((nowMs) => tokenState({ ...tokens, ...changes }, use, nowMs));

describe('the tokens of a session', () => {
  it('are due 30 s before they expire, or after half of a life under a minute', () => {
    expect(refreshDueMs({ fromMs: 0, untilMs: 100_000 })).toBe(70_000);
    expect(refreshDueMs({ fromMs: 1_000, untilMs: 61_000 })).toBe(31_000);
    expect(refreshDueMs({ fromMs: 1_000, untilMs: 11_000 })).toBe(6_000);
    expect(statesAt([0, 69_999, 70_000, 99_999], forwarded)).toEqual(['valid', 'valid', 'due', 'due']);
  });

  it('expire with the access token if it is forwarded, and after the grace otherwise', () => {
    expect(statesAt([100_000, 1e12], forwarded)).toEqual(['expired', 'expired']);
    expect(statesAt([100_000, 399_999, 400_000, 1e12], kept)).toEqual(['due', 'due', 'expired', 'expired']);
  });

  it('without a refresh token last as long as the session, and a forwarded one until its end', () => {
    const none = { hasRefreshToken: false };
    expect(statesAt([0, 99_999, 100_000, 1e12], kept, none)).toEqual(Array(4).fill('valid'));
    expect(statesAt([0, 99_999, 100_000, 1e12], forwarded, none)).toEqual([
      'valid',
      'valid',
      'unrefreshable',
      'unrefreshable',
    ]);
  });

  it('never expire if the provider states no lifetime', () => {
    for (const use of [kept, forwarded]) {
      expect(statesAt([0, 1e12], use, { life: null })).toEqual(['valid', 'valid']);
      expect(statesAt([0, 1e12], use, { life: null, hasRefreshToken: false })).toEqual(['valid', 'valid']);
    }
  });

  it('of a session from before the login forwarded them are fetched, or need a new sign-on', () => {
    const none = { hasAccessToken: false };
    expect(statesAt([0, 1e12], forwarded, none)).toEqual(['expired', 'expired']);
    expect(statesAt([0, 1e12], forwarded, { ...none, hasRefreshToken: false })).toEqual([
      'unrefreshable',
      'unrefreshable',
    ]);
    expect(statesAt([0], kept, none)).toEqual(['valid']);
  });

  it('come back from the details of a session', () => {
    const details = tokenDetails({ accessToken: 'a', refreshToken: 'r', fromMs: 5, lifetimeMs: 10 });
    expect(readSessionTokens(details)).toEqual({ ...tokens, life: { fromMs: 5, untilMs: 15 } });
    const onlyRefresh = tokenDetails({ accessToken: null, refreshToken: 'r', fromMs: 5, lifetimeMs: null });
    expect(readSessionTokens(onlyRefresh)).toEqual({ life: null, hasAccessToken: false, hasRefreshToken: true });
    expect(tokenDetails({ accessToken: null, refreshToken: null, fromMs: 5, lifetimeMs: 10 })).toEqual({});
    const noTokens = { life: null, hasAccessToken: false, hasRefreshToken: false };
    expect(readSessionTokens({ claims: '{}' })).toEqual(noTokens);
    for (const text of ['', 'soon', '1.5', '1e400']) {
      expect(readSessionTokens({ tokens_from_ms: text || 'x', tokens_until_ms: '1' })).toEqual(noTokens);
    }
  });

  it('leave everything else in the details to a refresh', () => {
    const sealed = tokenDetails({ accessToken: 'a', refreshToken: 'r', fromMs: 5, lifetimeMs: 10 });
    const details = failedRefreshDetails({ claims: '{}', id_token: 'i', other: 'x', ...sealed });
    expect(withoutTokenDetails(details)).toEqual({ claims: '{}', id_token: 'i', other: 'x', refresh_token: 'r' });
  });
});

describe('the back-off after failed refreshes', () => {
  it('doubles up to half a minute', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => refreshBackoffMs(failures, 1));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(refreshBackoffMs(1, 0)).toBe(500);
    expect(refreshBackoffMs(6, 0)).toBe(15_000);
  });

  it('counts failures in the details', () => {
    expect(refreshFailures({})).toBe(0);
    const once = failedRefreshDetails({ claims: '{}' });
    expect([refreshFailures(once), refreshFailures(failedRefreshDetails(once))]).toEqual([1, 2]);
    expect(once).toMatchObject({ claims: '{}' });
    for (const text of ['-5', 'x', '']) expect(refreshFailures({ refresh_failures: text })).toBe(0);
  });
});
