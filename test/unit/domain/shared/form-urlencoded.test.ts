import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  decodeFormText,
  parseForm,
  parseFormFields,
  parseQuery,
} from '../../../../src/domain/shared/form-urlencoded.js';

afterEach(() => vi.restoreAllMocks());

const form = (text: string | Uint8Array, fields?: number) => {
  const octets = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  const parsed = fields === undefined ? parseForm(octets) : parseForm(octets, { fields });
  return parsed.ok ? Object.fromEntries(parsed.value) : parsed.error;
};

describe('a form', () => {
  it('is read by name, decoded', () => {
    expect(form('SAMLResponse=PHM%2B%3D&RelayState=a+b%20c&x')).toEqual({
      SAMLResponse: 'PHM+=',
      RelayState: 'a b c',
      x: '',
    });
    expect(form('')).toEqual({});
    expect(form('&&a=1&&')).toEqual({ a: '1' });
    expect(form('a=b=c&=d')).toEqual({ a: 'b=c', '': 'd' });
    expect(form('%C3%A4=%F0%9F%98%80')).toEqual({ ä: '😀' });
  });

  it.each(['a=%', 'a=%4', 'a=%4x', 'a=%%41', '%zz=a', 'a=%u0041', 'a=b%'])(
    'with a broken escape is refused: %s',
    (text) => {
      expect(form(text)).toBe('malformed');
    },
  );

  it.each(['a=%ff', 'a=%C0%80', 'a=%ED%A0%80', 'a=%C3', 'a=\xff', '%C3%28=a'])(
    'that is no UTF-8 is refused: %s',
    (text) => {
      expect(form(text)).toBe('malformed');
    },
  );

  it.each(['a=\xc3\xa4', '\xc3\xa4=a', 'a=b&c=\x80'])(
    'with something beyond ASCII that is not escaped is refused: %s',
    (text) => {
      expect(form(text)).toBe('malformed');
    },
  );

  it.each([
    ['plain', 'abcd'],
    ['escaped', '%C3%A4'],
    ['escaped here and there', 'a%C3%A4'],
    ['all in pairs of units', '%F0%9F%98%80'],
  ])('of a mebibyte, %s, becomes text in long runs, not by the character', (_, unit) => {
    const units = Math.floor(1_048_000 / unit.length);
    const octets = Buffer.from(`a=${unit.repeat(units)}`);
    const codePoints = vi.spyOn(String, 'fromCodePoint');
    const codeUnits = vi.spyOn(String, 'fromCharCode');
    const parsed = parseForm(octets);
    const calls = codePoints.mock.calls.length + codeUnits.mock.calls.length;
    const longest = Math.max(...codeUnits.mock.calls.map((call) => call.length));
    vi.restoreAllMocks();
    expect(parsed.ok && parsed.value.get('a')).toBe(decodeURIComponent(unit).repeat(units));
    expect(calls).toBeLessThan(1_100);
    expect(longest).toBeLessThanOrEqual(1_024);
  });

  it('with one name twice is refused, however it is written', () => {
    expect(form('RelayState=a&SAMLResponse=x&RelayState=a')).toBe('duplicate');
    expect(form('SAMLResponse=x&SAML%52esponse=y')).toBe('duplicate');
    expect(form('a&a=')).toBe('duplicate');
    expect(form('=1&=2')).toBe('duplicate');
  });

  it('with more fields than are allowed is refused', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=`).join('&');
    expect(form(many(64))).toBeTypeOf('object');
    expect(form(many(65))).toBe('too_many');
    expect(form(many(3), 2)).toBe('too_many');
  });

  it('counts empty fields', () => {
    expect(form(`${'&'.repeat(63)}a`)).toEqual({ a: '' });
    expect(form('&'.repeat(64))).toEqual({});
    expect(form(`${'&'.repeat(64)}a`)).toBe('too_many');
    expect(form('&'.repeat(65))).toBe('too_many');
    expect(form('a&&b', 2)).toBe('too_many');
  });

  it.each([
    ['of empty fields', '&'.repeat(20_000), 200],
    ['that is one name', 'n'.repeat(20_000), 45_000],
    ['that is one value', `a=${'v'.repeat(20_000)}`, 45_000],
    ['with a name that comes twice', `a&a&${'v'.repeat(20_000)}`, 20],
    ['that is broken at once', `%&${'v'.repeat(20_000)}`, 20],
    ['of long values', Array.from({ length: 64 }, (_, index) => `n${index}=${'v'.repeat(300)}`).join('&'), 45_000],
    ['of escapes', `a=${'%C3%A9'.repeat(3_000)}`, 45_000],
  ])('%s is looked at no more than twice, and no further than it is one', (_, text, most) => {
    const octets = Buffer.from(text);
    let looks = 0;
    const counted = new Proxy(octets, {
      get: (target, name) => {
        looks += 1;
        return Reflect.get(target, name, target);
      },
    });
    expect(parseForm(counted).ok).toBe(form(text) instanceof Object);
    // The decoder reads the length with each octet.
    expect(looks).toBeLessThanOrEqual(most);
  });

  it('accepts names of object members', () => {
    const parsed = parseForm(Buffer.from('__proto__=a&constructor=b'));
    expect(parsed.ok && [...parsed.value]).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('of a mebibyte is read in one pass', () => {
    const value = '%2B'.repeat(300_000);
    expect(form(`SAMLResponse=${value}`)).toEqual({ SAMLResponse: '+'.repeat(300_000) });
  });
});

describe('a form with names that may occur several times', () => {
  const repeatable = new Set(['audience', 'resource']);
  const fields = (text: string, maximum = 64) => {
    const parsed = parseFormFields(Buffer.from(text, 'latin1'), { repeatable }, { fields: maximum });
    return parsed.ok ? [...parsed.value] : parsed.error;
  };

  it('gives all their values in the order of the form', () => {
    expect(fields('audience=b&scope=x&audience=a&resource=r&audi%65nce=b&audience')).toEqual([
      ['audience', ['b', 'a', 'b', '']],
      ['scope', ['x']],
      ['resource', ['r']],
    ]);
    expect(fields('')).toEqual([]);
  });

  it('refuses another repeated name', () => {
    expect(fields('audience=a&scope=x&audience=b&scope=x')).toBe('duplicate');
    expect(fields('scope=&scope=x')).toBe('duplicate');
    expect(fields('unknown&audience=a&unknown')).toBe('duplicate');
    expect(fields('Audience=a&Audience=b')).toBe('duplicate');
  });

  it('counts each of the values against the limit', () => {
    expect(fields('audience=a&audience=b', 2)).toEqual([['audience', ['a', 'b']]]);
    expect(fields('audience=a&audience=b&audience=c', 2)).toBe('too_many');
  });

  it('is refused if it is malformed', () => {
    expect(fields('audience=a&audience=%')).toBe('malformed');
    expect(fields('audience=\xe4')).toBe('malformed');
  });

  it('accepts names of object members', () => {
    expect(fields('__proto__=a&constructor=b')).toEqual([
      ['__proto__', ['a']],
      ['constructor', ['b']],
    ]);
  });
});

describe('one name or value', () => {
  it('is decoded as those of a form are', () => {
    const decode = (text: string) => decodeFormText(Buffer.from(text, 'latin1'));
    expect(decode('a+b%2B%3a%C3%A9&=')).toBe('a b+:é&=');
    expect(decode('')).toBe('');
    expect(decode('%')).toBeNull();
    expect(decode('\xe9')).toBeNull();
    expect(decode('%e9')).toBeNull();
  });
});

describe('a query', () => {
  const query = (text: string) => {
    const parsed = parseQuery(text);
    return parsed.ok ? Object.fromEntries(parsed.value) : parsed.error;
  };

  it('also returns the encoded value, which a signature covers', () => {
    expect(query('SAMLRequest=fZ%2bA%3D&RelayState=a+b&SigAlg=x')).toEqual({
      SAMLRequest: { value: 'fZ+A=', raw: 'fZ%2bA%3D' },
      RelayState: { value: 'a b', raw: 'a+b' },
      SigAlg: { value: 'x', raw: 'x' },
    });
    expect(query('a&b=')).toEqual({ a: { value: '', raw: '' }, b: { value: '', raw: '' } });
  });

  it('is refused as a form is', () => {
    expect(query('SAMLRequest=a&SAMLRequest=b')).toBe('duplicate');
    expect(query('a=%')).toBe('malformed');
    expect(query('a=ä')).toBe('malformed');
  });
});
