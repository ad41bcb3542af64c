import { describe, expect, it } from 'vitest';
import { hasExpired, tokenLifetimeSecs } from '../../../../../src/domain/agent/token-exchange/decide-exchange.js';
import { exchangeNowMs as nowMs, openPolicy } from '../../../../support/agent/asked-exchange.js';

const policy = openPolicy({ tokenTtlMs: 600_000 });
const limited = { ...policy, limitLifetimeToSubject: true };
const subject = (expiresMs: number, isOwn = false) => ({ expiresMs, isOwn });

describe('tokenLifetimeSecs', () => {
  it('is the configured lifetime, regardless of the subject token', () => {
    for (const expiresMs of [nowMs + 9e9, nowMs + 5_000]) {
      expect(tokenLifetimeSecs(subject(expiresMs), policy, nowMs)).toBe(600);
    }
  });

  it.each([
    ['where it is limited to that', limited, false],
    ['of our own, whatever is configured', policy, true],
  ])('ends with a subject token %s, in whole seconds', (_, rules, isOwn) => {
    expect(tokenLifetimeSecs(subject(nowMs + 5_999, isOwn), rules, nowMs)).toBe(5);
    expect(tokenLifetimeSecs(subject(nowMs + 600_001, isOwn), rules, nowMs)).toBe(600);
    expect(tokenLifetimeSecs(subject(Infinity, isOwn), rules, nowMs)).toBe(600);
  });

  it('is null if less than a second is left', () => {
    expect(tokenLifetimeSecs(subject(nowMs + 1000), limited, nowMs)).toBe(1);
    for (const expiresMs of [nowMs + 999, nowMs, nowMs - 30_000, Number.NaN]) {
      expect(tokenLifetimeSecs(subject(expiresMs), limited, nowMs)).toBeNull();
    }
  });
});

describe('isOver', () => {
  it('is true from the expiry of the token, and without an expiry', () => {
    expect([nowMs - 1, nowMs, Number.NaN].map((expiresMs) => hasExpired({ expiresMs }, nowMs))).toEqual([
      true,
      true,
      true,
    ]);
    expect([nowMs + 1, Infinity].map((expiresMs) => hasExpired({ expiresMs }, nowMs))).toEqual([false, false]);
  });
});
