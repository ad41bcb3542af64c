import { describe, expect, it } from 'vitest';
import {
  stickyTarget,
  targetCookieField,
  targetCookieValue,
} from '../../../../../src/domain/gateway/load-balancing/target-cookie.js';

const cookie = { name: 'gateway_target', maxAgeMs: null };

describe('targetCookieValue', () => {
  it('reveals neither the address nor the upstream', () => {
    const value = targetCookieValue('api', '10.0.0.7:8080');
    expect(value).toMatch(/^[0-9a-f]{8}$/);
    expect(value).not.toBe(targetCookieValue('api', '10.0.0.8:8080'));
  });

  it('differs for the same address in another upstream', () => {
    expect(targetCookieValue('api', '10.0.0.7:80')).not.toBe(targetCookieValue('web', '10.0.0.7:80'));
  });
});

describe('targetCookieField', () => {
  it('is HttpOnly and SameSite, with path /', () => {
    expect(targetCookieField(cookie, 'abc', false)).toEqual([
      'Set-Cookie',
      'gateway_target=abc; Path=/; HttpOnly; SameSite=Lax',
    ]);
  });

  it('is Secure over https, and has the configured age', () => {
    expect(targetCookieField({ ...cookie, maxAgeMs: 90_000 }, 'abc', true)[1]).toBe(
      'gateway_target=abc; Path=/; Max-Age=90; Secure; HttpOnly; SameSite=Lax',
    );
  });
});

describe('stickyTarget', () => {
  const targets = [{ cookieValue: 'one' }, { cookieValue: 'two' }];

  it('finds the target of a cookie, even after an unknown one', () => {
    const headers = ['Cookie', 'gateway_target=three; x=1', 'Cookie', 'gateway_target=two'];
    expect(stickyTarget(targets, headers, 'gateway_target')).toBe(targets[1]);
  });

  it('returns null for an unknown or missing cookie', () => {
    expect(stickyTarget(targets, ['Cookie', 'gateway_target=three'], 'gateway_target')).toBeNull();
    expect(stickyTarget(targets, ['Cookie', 'other=two; gateway_target'], 'gateway_target')).toBeNull();
    expect(stickyTarget([], ['Cookie', 'gateway_target=two'], 'gateway_target')).toBeNull();
  });
});
