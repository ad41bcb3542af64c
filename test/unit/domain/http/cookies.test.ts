import { describe, expect, it } from 'vitest';
import {
  type CookieToSet,
  cookieValues,
  hasCookie,
  setCookie,
  withoutCookies,
} from '../../../../src/domain/http/cookies.js';

describe('the values of a cookie', () => {
  it('come from every Cookie field, in order', () => {
    const headers = ['cookie', 'a=1; s=2', 'host', 's=3', 'Cookie', 's=4;a=5;s=6'];
    expect(cookieValues(headers, 's')).toEqual(['2', '4', '6']);
    expect(cookieValues(headers, 'b')).toEqual([]);
  });

  it('are those of the very name, in the very case', () => {
    const headers = ['cookie', 'S=1; xs=2; s2=3; s =4; %73=5; s'];
    expect(cookieValues(headers, 's')).toEqual(['4']);
  });

  it('keep quotes and equals signs', () => {
    expect(cookieValues(['cookie', 's="a=b"; t="x; s=c"'], 's')).toEqual(['"a=b"', 'c"']);
  });
});

describe('whether there is a cookie with such a name', () => {
  const has = (...fields: string[]) =>
    hasCookie(
      fields.flatMap((field) => ['cookie', field]),
      (name) => name.startsWith('s_'),
    );

  it('is seen in every Cookie field', () => {
    expect([has('s_1=a'), has('a=1; s_=', 'b=2'), has('a=1', ' s_2\t=b')]).toEqual([true, true, true]);
  });

  it('is not seen in values, in other names, or where there is no value', () => {
    expect([has(), has(''), has('a=s_1=2'), has('xs_1=2'), has('S_1=2'), has('s_1')]).toEqual(Array(6).fill(false));
  });
});

describe('taking cookies out of a request', () => {
  const taken = (...fields: string[]) =>
    withoutCookies(
      fields.flatMap((field) => ['cookie', field]),
      (name) => name === 's' || name.startsWith('s_signon_'),
    );

  it('does nothing where there are none', () => {
    expect(taken()).toBeNull();
    expect(taken('a=1; b=s; xs=2', '')).toBeNull();
  });

  it('leaves the others as they are, in one field', () => {
    expect(taken('a=1; s=2; b="3"', 'c; s_signon_0123abcd=4;d=')).toEqual([
      { kind: 'set', name: 'Cookie', value: 'a=1; b="3"; c; d=' },
    ]);
  });

  it('takes every one of them, in every spelling that somebody may read', () => {
    expect(taken('s=1; s=2', 's=3')).toEqual([{ kind: 'remove', name: 'Cookie' }]);
    expect(taken(' s\t=1;;s')).toEqual([{ kind: 'remove', name: 'Cookie' }]);
    expect(taken('a="; s=1; b="')).toEqual([{ kind: 'set', name: 'Cookie', value: 'a="; b="' }]);
  });
});

describe('setting a cookie', () => {
  const cookie: CookieToSet = {
    name: 's',
    value: 'abc',
    secure: true,
    httpOnly: true,
    sameSite: 'Lax',
    maxAgeSecs: 300,
  };

  it('says what it is for', () => {
    expect(setCookie(cookie)).toBe('s=abc; Path=/; Max-Age=300; Secure; HttpOnly; SameSite=Lax');
    expect(setCookie({ ...cookie, secure: false, httpOnly: false, sameSite: 'Strict', maxAgeSecs: null })).toBe(
      's=abc; Path=/; SameSite=Strict',
    );
  });

  it('clears it', () => {
    expect(setCookie({ ...cookie, value: '', maxAgeSecs: 0 })).toContain('s=; Path=/; Max-Age=0');
  });
});
