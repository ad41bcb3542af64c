import { describe, expect, it } from 'vitest';
import {
  bindingCookiePrefix,
  SignOnCookies,
} from '../../../../../../src/application/agent/sign-on/shared/sign-on-cookies.js';
import { sessionCookie } from '../../../../../support/agent/fake-saml-sign-on.js';

const cookies = new SignOnCookies(sessionCookie);
const handleHash = '0123456789abcdef'.repeat(4);
const binding = '__Host-gateway_saml_session_signon_01234567';

/** The header of a request with cookies of one name. */
const shown = (values: readonly string[], name = sessionCookie.name) => [
  'cookie',
  values.map((value) => `${name}=${value}`).join('; '),
];

const sessionId = (index: number): string => String(index).padStart(43, 'A');
const ids = (count: number) => Array.from({ length: count }, (_, index) => sessionId(index));

describe('the sessions in a request', () => {
  it('are the distinct valid session ids', () => {
    const junk = ['', 'x', `${sessionId(1)}A`, sessionId(1).replace('A', '+'), `"${sessionId(1)}"`, 'é'.repeat(43)];
    expect(cookies.sessionIds(shown([...junk, sessionId(1), sessionId(1), sessionId(2)]))).toEqual([
      sessionId(1),
      sessionId(2),
    ]);
    expect(cookies.allSessionIds(shown(junk))).toEqual([]);
  });

  it('are a limited number, which invalid values cannot displace', () => {
    expect(cookies.sessionIds(shown([...Array.from({ length: 50 }, (_, index) => `x${index}`), ...ids(6)]))).toEqual(
      ids(4),
    );
  });

  it('are all that one sign-out can end, or too many', () => {
    expect(cookies.allSessionIds(shown([...ids(16), ...ids(16)]))).toEqual(ids(16));
    expect(cookies.allSessionIds(shown(ids(17)))).toBeNull();
  });
});

describe('the cookie that binds a sign-on to its browser', () => {
  it('has a name prefix that restricts it to this host, with the required attributes', () => {
    expect(cookies.setBinding(handleHash, 'secret')).toEqual({
      kind: 'add',
      name: 'Set-Cookie',
      value: `${binding}=secret; Path=/; Max-Age=300; Secure; HttpOnly; SameSite=None`,
    });
    expect(cookies.clearBinding(handleHash)).toMatchObject({
      value: `${binding}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=None`,
    });
  });

  it.each(['s', '__Host-s', '__Secure-s', '__host-s', '__SECURE-s'])(
    'has the name prefix of the session cookie %s',
    (name) => {
      expect(bindingCookiePrefix(name)).toBe('__Host-s_signon_');
    },
  );

  it('is found by the handle of its sign-on, and is ignored if duplicated', () => {
    expect(cookies.binding(shown(['secret'], binding), handleHash)).toBe('secret');
    expect(cookies.binding(shown(['secret', 'secret'], binding), handleHash)).toBe('secret');
    expect(cookies.binding(shown(['secret', 'other'], binding), handleHash)).toBeNull();
    expect(cookies.binding(shown(['secret'], `${binding.slice(0, -1)}8`), handleHash)).toBeNull();
  });

  it('is ignored under a name that a sibling host can set', () => {
    const planted = shown(['secret'], 'gateway_saml_session_signon_01234567');
    expect(cookies.binding(planted, handleHash)).toBeNull();
    expect(cookies.hasBinding(planted)).toBe(false);
  });

  it('shows that any sign-on is pending', () => {
    expect(cookies.hasBinding(shown([''], `${binding.slice(0, -8)}ffffffff`))).toBe(true);
    expect(cookies.hasBinding([])).toBe(false);
    expect(cookies.hasBinding(shown([sessionId(1)]))).toBe(false);
  });
});
