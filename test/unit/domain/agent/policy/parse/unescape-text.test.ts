import { describe, expect, it } from 'vitest';
import { unescapePattern, unescapeText } from '../../../../../../src/domain/agent/policy/parse/unescape-text.js';

const text = (escaped: string): unknown => {
  const result = unescapeText(escaped, 0, escaped.length);
  return result.ok ? result.value : result.error;
};

const pattern = (escaped: string): unknown => {
  const result = unescapePattern(escaped, 0, escaped.length);
  return result.ok
    ? result.value.map((piece) => (typeof piece === 'string' ? piece : piece.kind))
    : result.error.message;
};

describe('escapes in a string', () => {
  it.each([
    ['plain é 😀', 'plain é 😀'],
    ['\\n\\r\\t\\0\\\\\\\'\\"', '\n\r\t\0\\\'"'],
    ['\\x41\\x7f', 'A\x7f'],
    ['\\u{41}\\u{1F600}\\u{10ffff}\\u{00_4_1_}', 'A😀\u{10ffff}A'],
    ['a\nb\tc', 'a\nb\tc'],
    ['*', '*'],
    ['', ''],
  ])('%j are decoded', (escaped, value) => {
    expect(text(escaped)).toBe(value);
  });

  it.each([
    ['a\\q', 1, 3, 'not an escape'],
    ['\\*', 0, 2, '`\\*` stands for a star'],
    ['\\', 0, 2, 'not an escape'],
    ['\\\n x', 0, 2, 'not an escape'],
    ['\\x4', 0, 2, 'two hexadecimal digits'],
    ['\\x4g', 0, 2, 'two hexadecimal digits'],
    ['\\x80', 0, 4, 'goes up to'],
    ['\\u0041', 0, 2, 'takes braces'],
    ['\\u{}', 0, 4, 'has no digits'],
    ['\\u{_41}', 0, 3, 'takes hexadecimal digits'],
    ['\\u{4 1}', 0, 4, 'takes hexadecimal digits'],
    ['\\u{0000041}', 0, 12, 'at most 6 digits'],
    ['\\u{110000}', 0, 10, 'no such character'],
    ['\\u{d800}', 0, 8, 'no such character'],
    ['\\u{41', 0, 3, 'is not closed'],
    ['a\rb', 1, 2, 'carriage return'],
    ['\\U{41}', 0, 2, 'not an escape'],
  ])('%j are refused with their position', (escaped, start, end, message) => {
    expect(text(escaped)).toEqual({ start, end, message: expect.stringContaining(message) });
  });
});

describe('the pattern of a `like`', () => {
  it('treats a star as any text, unless escaped', () => {
    expect(pattern('a*b')).toEqual(['a', 'any-text', 'b']);
    expect(pattern('\\*a*')).toEqual(['*a', 'any-text']);
    expect(pattern('')).toEqual([]);
    expect(pattern('\\n\\u{41}b')).toEqual(['\nAb']);
  });

  it('merges adjacent stars', () => {
    expect(pattern('**a***')).toEqual(['any-text', 'a', 'any-text']);
  });

  it('treats a star written as a code point as a wildcard, as Cedar does', () => {
    expect(pattern('\\x2a\\u{2a}')).toEqual(['any-text']);
  });

  it('refuses invalid escapes', () => {
    expect(pattern('a*\\q')).toContain('not an escape');
  });
});
