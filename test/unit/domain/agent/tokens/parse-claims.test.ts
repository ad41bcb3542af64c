import { describe, expect, it } from 'vitest';
import {
  type ClaimValue,
  claimedNumberText,
  isClaimedNumber,
  SpelledNumber,
} from '../../../../../src/domain/agent/tokens/claims.js';
import { parseClaims } from '../../../../../src/domain/agent/tokens/parse-claims.js';
import { parseStrictJsonObject } from '../../../../../src/domain/shared/strict-json.js';

const numberIn = (text: string): ClaimValue | undefined => parseClaims(`{"it":${text}}`)?.['it'];

describe('parseClaims', () => {
  it('reads every number exactly, in any position', () => {
    expect(parseClaims('{"a":175928847299117063,"b":[-9007199254740993 , {"c":18446744073709551616}],"d":7}')).toEqual({
      a: 175928847299117063n,
      b: [-9007199254740993n, { c: new SpelledNumber('18446744073709551616') }],
      d: 7,
    });
  });

  it.each(['123456789012345', '1234567890123456', '12345678901234567', '999999999999999', '9999999999999999'])(
    'keeps every digit of long integers: %s',
    (text) => {
      for (const written of [text, `-${text}`]) {
        const value = numberIn(written);
        expect(isClaimedNumber(value) && claimedNumberText(value)).toBe(written);
      }
    },
  );

  it.each([
    '01',
    '00',
    '-',
    '-01',
    '+1',
    '1.',
    '.5',
    '1e',
    '1e+',
    '1_000',
    '0x10',
    '1n',
    '٣',
    'NaN',
    'Infinity',
    '1e999',
  ])('refuses an invalid or out-of-range number: %s', (text) => {
    expect(parseClaims(`{"it":${text}}`)).toBeNull();
    expect(parseStrictJsonObject(`{"it":${text}}`)).toBeNull();
  });

  it('reads a token full of numbers quickly', () => {
    const zeros = '0'.repeat(8000);
    const long = `0.${zeros}1${zeros}`;
    expect(numberIn(long)).toEqual(new SpelledNumber(long));
    expect(parseClaims(`{"it":${'9'.repeat(16_000)}}`)).toBeNull();
    expect(numberIn(`1.${zeros}${zeros}`)).toBe(1);
  });
});

describe('parseStrictJsonObject', () => {
  it('reads numbers as JSON.parse does', () => {
    for (const text of ['175928847299117063', '18446744073709551616', '-0', '1.0', '1e-400', '999999999999999']) {
      const object = `{"it":${text}}`;
      expect(parseStrictJsonObject(object)).toEqual(JSON.parse(object));
    }
  });
});
