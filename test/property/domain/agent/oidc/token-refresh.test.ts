import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readSessionTokens,
  refreshBackoffMs,
  refreshDueMs,
  type SessionTokens,
  type TokenState,
  tokenDetails,
  tokenState,
} from '../../../../../src/domain/agent/oidc/token-refresh.js';

const time = fc.integer({ min: 0, max: 4_000_000_000_000 });
const lifetime = fc.integer({ min: 1, max: 1_000_000_000 });
const life = fc.record({ fromMs: time, lifetimeMs: lifetime });
const use = fc.record({ forwards: fc.boolean(), graceMs: fc.integer({ min: 0, max: 86_400_000 }) });
const tokens: fc.Arbitrary<SessionTokens> = fc.record({
  life: fc.option(life.map(({ fromMs, lifetimeMs }) => ({ fromMs, untilMs: fromMs + lifetimeMs }))),
  hasAccessToken: fc.boolean(),
  hasRefreshToken: fc.boolean(),
});

const order: readonly TokenState[] = ['valid', 'due', 'expired', 'unrefreshable'];

describe('the tokens of a session', () => {
  it('are due within their life, in its second half, and at most 30 s before they expire', () => {
    fc.assert(
      fc.property(life, ({ fromMs, lifetimeMs }) => {
        const untilMs = fromMs + lifetimeMs;
        const due = refreshDueMs({ fromMs, untilMs });
        expect(due).toBeGreaterThanOrEqual(fromMs + lifetimeMs / 2);
        expect(due).toBeGreaterThanOrEqual(untilMs - 30_000);
        expect(due).toBeLessThan(untilMs);
      }),
    );
  });

  it('only get older', () => {
    fc.assert(
      fc.property(tokens, use, time, time, (held, how, one, other) => {
        const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
        const [before, after] = [tokenState(held, how, earlier), tokenState(held, how, later)];
        expect(order.indexOf(after)).toBeGreaterThanOrEqual(order.indexOf(before));
      }),
    );
  });

  it('never let a request pass with a forwarded token that is missing or expired', () => {
    fc.assert(
      fc.property(tokens, use, time, (held, { graceMs }, nowMs) => {
        const state = tokenState(held, { forwards: true, graceMs }, nowMs);
        const isUsable = held.hasAccessToken && (held.life === null || nowMs < held.life.untilMs);
        expect(state === 'valid' || state === 'due').toBe(isUsable);
      }),
    );
  });

  it('never cause a refresh without a refresh token, and always end a sign-on that nothing can renew', () => {
    fc.assert(
      fc.property(tokens, use, time, (held, how, nowMs) => {
        const state = tokenState(held, how, nowMs);
        if (state === 'due' || state === 'expired') expect(held.hasRefreshToken).toBe(true);
        if (state === 'unrefreshable') expect(held.hasRefreshToken).toBe(false);
      }),
    );
  });

  it('come back from details, whatever the times', () => {
    fc.assert(
      fc.property(life, fc.option(fc.string()), fc.option(fc.string()), ({ fromMs, lifetimeMs }, access, refresh) => {
        const details = tokenDetails({ accessToken: access, refreshToken: refresh, fromMs, lifetimeMs });
        const isKept = access !== null || refresh !== null;
        expect(readSessionTokens(details)).toEqual({
          life: isKept ? { fromMs, untilMs: fromMs + lifetimeMs } : null,
          hasAccessToken: access !== null,
          hasRefreshToken: refresh !== null,
        });
      }),
    );
  });
});

describe('the back-off after failed refreshes', () => {
  it('lies between half a second and half a minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, part) => {
        const pauseMs = refreshBackoffMs(failures, part);
        expect(pauseMs).toBeGreaterThanOrEqual(500);
        expect(pauseMs).toBeLessThanOrEqual(30_000);
        expect(refreshBackoffMs(failures + 1, part)).toBeGreaterThanOrEqual(pauseMs);
      }),
    );
  });
});
