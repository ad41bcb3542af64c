import { describe, expect, it } from 'vitest';
import { SpelledNumber } from '../../../../../src/domain/agent/tokens/claims.js';
import { exactNumber } from '../../../../../src/domain/agent/tokens/parse-claims.js';

describe('exactNumber', () => {
  it.each<[string, number | bigint]>([
    ['0', 0],
    ['-0', -0],
    ['0.000', 0],
    ['0e999999999999999999999', 0],
    ['7', 7],
    ['-7', -7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['175928847299117063', 175928847299117063n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('reads a 64-bit integer: %s', (text, expected) => {
    expect(exactNumber(text)).toBe(expected);
  });

  it.each<[string, number | bigint]>([
    ['1.0', 1],
    ['-1.000', -1],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['10e-1', 1],
    ['120.0e-1', 12],
    ['1e18', 1_000_000_000_000_000_000n],
    ['175928847299117063.0', 175928847299117063n],
    ['1.75928847299117063e17', 175928847299117063n],
    ['922337203685477580.7e1', 9223372036854775807n],
    [`0.${'0'.repeat(400)}1e401`, 1],
  ])('recognises an integer by its value: %s', (text, expected) => {
    expect(exactNumber(text)).toBe(expected);
  });

  it.each([
    ['1.5', 1.5],
    ['1.50', 1.5],
    ['-0.1', -0.1],
    ['0.1234567890123', 0.1234567890123],
    ['0.30000000000000004', 0.1 + 0.2],
    ['1e-7', 1e-7],
    ['5e-324', 5e-324],
    ['1e19', 1e19],
    ['1e300', 1e300],
    ['100000000000000000000', 1e20],
  ])('keeps an exact JavaScript number: %s', (text, expected) => {
    expect(exactNumber(text)).toBe(expected);
  });

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '18446744073709551615',
    '123456789012345678901234567890',
    '1.0000000000000000000001',
    '9007199254740992.5',
    '0.1000000000000000055511151231257827',
    '1e-400',
    '1.6e-323',
    '-3e-324',
    '1e-99999999999999999999999',
  ])('keeps the text if no number is exact: %s', (text) => {
    expect(exactNumber(text)).toEqual(new SpelledNumber(text));
  });

  it.each(['1e309', '-1e309', '9'.repeat(310), '1e99999999999999999999'])(
    'refuses a number beyond the range of JavaScript: %s',
    (text) => {
      expect(exactNumber(text)).toBeNull();
    },
  );
});
