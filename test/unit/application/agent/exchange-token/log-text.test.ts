import { describe, expect, it } from 'vitest';
import { loggedText, loggedTexts } from '../../../../../src/application/agent/exchange-token/exchange-log.js';

describe('a foreign text in a log line', () => {
  it.each([
    ['a line end', 'a\nb\r', 'a\\u000ab\\u000d'],
    ['an escape of a terminal', '\u001b[31mred', '\\u001b[31mred'],
    ['a turn of direction', 'user\u202egnp.exe', 'user\\u202egnp.exe'],
    ['ends of lines and paragraphs', '\u2028\u2029\u0085', '\\u2028\\u2029\\u0085'],
    ['what has no width', 'ad\u200bmin\ufeff', 'ad\\u200bmin\\ufeff'],
    ['half a character', 'a\ud800', 'a\\ud800'],
    ['a tag beyond the first plane', '\u{e0041}', '\\udb40\\udc41'],
    ['letters of any script, and signs, none', 'Ängström 花子 😀 "q" \\', 'Ängström 花子 😀 "q" \\'],
  ])('is escaped: %s', (_name, text, shown) => {
    expect(loggedText(text)).toBe(shown);
  });

  it('is cut after escaping, so no text makes a long line', () => {
    expect(loggedText('a'.repeat(256))).toBe('a'.repeat(256));
    expect(loggedText('a'.repeat(257))).toBe(`${'a'.repeat(256)}...`);
    expect(loggedText('\u202e'.repeat(10_000))).toBe(`${'\\u202e'.repeat(50).slice(0, 256)}...`);
    expect(loggedTexts(Array.from({ length: 20 }, () => '\n'))).toEqual(Array.from({ length: 16 }, () => '\\u000a'));
  });
});
