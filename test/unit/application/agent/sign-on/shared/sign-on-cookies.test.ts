import { describe, expect, it } from 'vitest';
import {
  bindingCookiePrefix,
  SignOnCookies,
} from '../../../../../../src/application/agent/sign-on/shared/sign-on-cookies.js';
import type { SessionCookieOptions } from '../../../../../../src/domain/agent/configuration/sessions-options.js';
import type { HeaderOperation } from '../../../../../../src/domain/agent-protocol/messages.js';
import { sessionCookie } from '../../../../../support/agent/fake-saml-sign-on.js';
import { noonMs, testSession } from '../../../../../support/agent/test-sessions.js';

const cookies = new SignOnCookies(sessionCookie);
const handleHash = '0123456789abcdef'.repeat(4);
const binding = '__Host-gateway_saml_session_signon_01234567';

/** The header of a request with cookies of one name. */
const shown = (values: readonly string[], name = sessionCookie.name) => [
  'cookie',
  values.map((value) => `${name}=${value}`).join('; '),
];

/** A session that lasts so many milliseconds. */
const lasting = (ms: number) => testSession('a', { expiresMs: noonMs + ms });

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

describe('the session cookie', () => {
  const made = (options: Partial<SessionCookieOptions>) =>
    new SignOnCookies({ ...sessionCookie, name: 's', ...options });
  const texts = (operations: readonly HeaderOperation[]) =>
    operations.map((operation) => (operation.kind === 'add' ? operation.value : operation.kind));

  it('is for this host without a domain, and for all its hosts with one', () => {
    expect(texts(made({}).setSession([], 'id', lasting(1_500)))).toEqual([
      's=id; Path=/; Max-Age=2; Secure; HttpOnly; SameSite=Lax',
    ]);
    expect(texts(made({ domain: 'example.com' }).setSession([], 'id', lasting(1_000)))).toEqual([
      's=id; Path=/; Domain=example.com; Max-Age=1; Secure; HttpOnly; SameSite=Lax',
    ]);
  });

  it('replaces former cookies that the browser shows, at the host and in the domain', () => {
    const cookies = made({ formerNames: ['__Host-old', 'older', 'never'], domain: 'example.com' });
    const headers = ['cookie', '__Host-old=1; older=2; never'];
    const cleared = [
      '__Host-old=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax',
      'older=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax',
      'older=; Path=/; Domain=example.com; Max-Age=0; Secure; HttpOnly; SameSite=Lax',
    ];
    expect(texts(cookies.setSession(headers, 'id', lasting(1_000))).slice(1)).toEqual(cleared);
    expect(texts(cookies.clearSession(headers)).slice(1)).toEqual(cleared);
  });

  it('clears a second cookie of this host, from before there was a domain', () => {
    const cookies = made({ domain: 'example.com' });
    expect(texts(cookies.clearSession(['cookie', 's=1; s=2']))).toEqual([
      's=; Path=/; Domain=example.com; Max-Age=0; Secure; HttpOnly; SameSite=Lax',
      's=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax',
    ]);
    expect(cookies.clearSession(['cookie', 's=1'])).toHaveLength(1);
  });

  it('belongs to sign-ons under each of its names, as the binding cookies do', () => {
    const cookies = made({ formerNames: ['old'] });
    for (const name of ['s', 'old', '__Host-s_signon_01234567']) expect(cookies.owns(name)).toBe(true);
    for (const name of ['S', 'olds', 's_signon_01234567', '']) expect(cookies.owns(name)).toBe(false);
  });

  it('is ended under each of its names by a sign-out', () => {
    const cookies = made({ formerNames: ['old'] });
    expect(cookies.allSessionIds(['cookie', `old=${sessionId(1)}; s=${sessionId(2)}`])).toEqual([
      sessionId(2),
      sessionId(1),
    ]);
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

describe('the cookies of a kept form', () => {
  const marking = (options: Partial<SessionCookieOptions>) =>
    new SignOnCookies({ ...sessionCookie, name: 's', ...options }, (id, { userId }) => `mark of ${id} and ${userId}`);
  const texts = (operations: readonly HeaderOperation[]) =>
    operations.map((operation) => (operation.kind === 'add' ? operation.value : operation.kind));
  const mark = 'ab'.repeat(32);

  it('mark the user of a session beside it, with the same attributes', () => {
    const attributes = 'Domain=example.com; Max-Age=1; Secure; HttpOnly; SameSite=Strict';
    expect(texts(marking({ domain: 'example.com', sameSite: 'Strict' }).setSession([], 'id', lasting(1_000)))).toEqual([
      `s=id; Path=/; ${attributes}`,
      `s_user=mark of id and alice; Path=/; ${attributes}`,
    ]);
  });

  it('are the secret of the form at its host, for ten minutes', () => {
    const cookie = marking({ name: '__Secure-s', domain: 'example.com', secure: false });
    expect(texts([cookie.setKeptForm('secret'), cookie.clearKeptForm()])).toEqual([
      '__Host-s_form=secret; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax',
      '__Host-s_form=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax',
    ]);
  });

  it('count only once each, and well-formed', () => {
    const cookie = marking({});
    const form = sessionId(1);
    expect(cookie.keptForm(shown([form], '__Host-s_form'))).toBe(form);
    expect(cookie.ownerMark(shown([mark], 's_user'))).toBe(mark);
    for (const values of [[form, form], [form, sessionId(2)], [`${form}A`], ['']]) {
      expect(cookie.keptForm(shown(values, '__Host-s_form'))).toBeNull();
      expect(cookie.onlySessionId(shown(values, 's'))).toBeNull();
    }
    for (const values of [[mark, mark], [mark.toUpperCase()], [mark.slice(1)]]) {
      expect(cookie.ownerMark(shown(values, 's_user'))).toBeNull();
    }
    expect(cookie.keptForm(shown([form], 's_form'))).toBeNull();
  });

  it('end with a sign-out, and reach no upstream', () => {
    const headers = ['cookie', `s=1; s_user=${mark}; __Host-s_form=${sessionId(1)}`];
    expect(texts(marking({}).clearSession(headers)).map((text) => text.split(';', 1)[0])).toEqual([
      's=',
      's_user=',
      '__Host-s_form=',
    ]);
    for (const name of ['s_user', '__Host-s_form']) {
      expect([marking({}).owns(name), new SignOnCookies({ ...sessionCookie, name: 's' }).owns(name)]).toEqual([
        true,
        false,
      ]);
    }
  });

  it('belong to the session of the current name, or to that of a former one', () => {
    const cookie = marking({ formerNames: ['old'] });
    const [one, other] = [sessionId(1), sessionId(2)];
    expect(cookie.onlySessionId(['cookie', `old=${one}`])).toBe(one);
    expect(cookie.onlySessionId(['cookie', `old=${one}; s=${other}`])).toBe(other);
    expect(cookie.onlySessionId(['cookie', `old=${one}; s=x`])).toBeNull();
  });
});
