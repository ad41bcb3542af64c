import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BindingCookie,
  bindingCookieValue,
  maximumClearedCookies,
  maximumWaitingSignOns,
  surplusBindingCookies,
} from '../../../../../src/domain/agent/sign-on/binding-cookies.js';

const nowMs = 1_800_000_000_000;
const handle = fc.stringMatching(/^[0-9a-f]{8}$/);
const ownValue = fc.integer({ min: 0, max: 299 }).map((age) => bindingCookieValue('s'.repeat(43), nowMs - age * 1000));
const hostile = fc.record({
  handle: fc.oneof(handle, fc.string(), fc.constantFrom('', '; Domain=evil', 'ABCDEF01', '\r\nX: y')),
  value: fc.oneof(ownValue, fc.string(), fc.constantFrom('', '-1', `${'s'.repeat(43)}zzzzzzzz`, `${'s'.repeat(43)}-1`)),
});

describe('the cookies cleared when a sign-on begins', () => {
  it('are a bounded number of distinct well-formed handles that the browser shows', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 300 }), (shown) => {
        const taken = surplusBindingCookies(shown, nowMs);
        expect(taken.length).toBeLessThanOrEqual(maximumClearedCookies);
        expect(new Set(taken).size).toBe(taken.length);
        for (const one of taken) {
          expect(one).toMatch(/^[0-9a-f]{8}$/);
          expect(shown.some((cookie) => cookie.handle === one)).toBe(true);
        }
      }),
    );
  });

  it('are older than every kept cookie, in any order of cookies', () => {
    const jar = fc.uniqueArray(fc.record({ handle, value: ownValue }), { selector: (cookie) => cookie.handle });
    fc.assert(
      fc.property(jar, (shown) => {
        const taken = new Set(surplusBindingCookies(shown, nowMs));
        const second = ({ value }: BindingCookie) => Number.parseInt(value.slice(43), 36);
        const gone = shown.filter((cookie) => taken.has(cookie.handle)).map(second);
        const left = shown.filter((cookie) => !taken.has(cookie.handle)).map(second);
        expect(Math.max(0, ...gone)).toBeLessThanOrEqual(Math.min(Number.POSITIVE_INFINITY, ...left));
        expect(taken.size).toBe(Math.min(maximumClearedCookies, Math.max(0, shown.length - maximumWaitingSignOns + 1)));
      }),
    );
  });

  it('leave room for the new cookie in every conforming browser', () => {
    fc.assert(
      fc.property(fc.uniqueArray(handle, { maxLength: 60 }), fc.array(handle, { minLength: 12 }), (held, begun) => {
        let jar = held.map((name): BindingCookie => ({ handle: name, value: '' }));
        begun.forEach((name, index) => {
          const atMs = nowMs + index * 1000;
          const taken = new Set(surplusBindingCookies(jar, atMs));
          jar = jar.filter((cookie) => !taken.has(cookie.handle) && cookie.handle !== name);
          jar.push({ handle: name, value: bindingCookieValue('s'.repeat(43), atMs) });
        });
        expect(jar.length).toBeLessThanOrEqual(maximumWaitingSignOns);
      }),
    );
  });

  it('include leftovers of expired sign-ons, even if few wait', () => {
    const over = { handle: '00000001', value: bindingCookieValue('s'.repeat(43), nowMs - 300_000) };
    const waiting = { handle: '00000002', value: bindingCookieValue('s'.repeat(43), nowMs - 299_000) };
    expect(surplusBindingCookies([waiting, over], nowMs)).toEqual(['00000001']);
  });

  it('include cookies of an earlier version, which carry no time, before all others', () => {
    const earlier = { handle: '00000001', value: 's'.repeat(43) };
    expect(surplusBindingCookies([earlier], nowMs)).toEqual(['00000001']);
  });
});
