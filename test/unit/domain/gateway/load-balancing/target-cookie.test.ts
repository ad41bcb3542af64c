import { describe, expect, it } from 'vitest';
import {
  stickyTarget,
  targetCookieField,
  targetCookieValue,
} from '../../../../../src/domain/gateway/load-balancing/target-cookie.js';

const cookie = { name: 'gateway_target', maxAgeMs: null };

describe('targetCookieValue', () => {
  it('does not say the address, nor the upstream', () => {
    const value = targetCookieValue('api', '10.0.0.7:8080');
    expect(value).toMatch(/^[0-9a-f]{8}$/);
    expect(value).not.toBe(targetCookieValue('api', '10.0.0.8:8080'));
  });

  it('is another one for the same address of another upstream', () => {
    expect(targetCookieValue('api', '10.0.0.7:80')).not.toBe(targetCookieValue('web', '10.0.0.7:80'));
  });
});

describe('targetCookieField', () => {
  it('is kept from scripts, other sites and other paths', () => {
    expect(targetCookieField(cookie, 'abc', false)).toEqual([
      'Set-Cookie',
      'gateway_target=abc; Path=/; HttpOnly; SameSite=Lax',
    ]);
  });

  it('is Secure where the client speaks https, and lasts as long as it is told to', () => {
    expect(targetCookieField({ ...cookie, maxAgeMs: 90_000 }, 'abc', true)[1]).toBe(
      'gateway_target=abc; Path=/; Max-Age=90; Secure; HttpOnly; SameSite=Lax',
    );
  });
});

describe('stickyTarget', () => {
  const targets = [{ cookieValue: 'one' }, { cookieValue: 'two' }];

  it('finds the target that the cookie is for, also behind one that is for none', () => {
    const headers = ['Cookie', 'gateway_target=three; x=1', 'Cookie', 'gateway_target=two'];
    expect(stickyTarget(targets, headers, 'gateway_target')).toBe(targets[1]);
  });

  it('finds none where the cookie is for no target, or there is no such cookie', () => {
    expect(stickyTarget(targets, ['Cookie', 'gateway_target=three'], 'gateway_target')).toBeNull();
    expect(stickyTarget(targets, ['Cookie', 'other=two; gateway_target'], 'gateway_target')).toBeNull();
    expect(stickyTarget([], ['Cookie', 'gateway_target=two'], 'gateway_target')).toBeNull();
  });
});
