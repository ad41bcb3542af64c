import { describe, expect, it } from 'vitest';
import {
  abbreviateName,
  abbreviateText,
  escapeInvisible,
  quoteName,
} from '../../../../../src/domain/agent/policy/abbreviate-text.js';

describe('text in messages', () => {
  it('is unchanged if visible', () => {
    const text = 'Ümläut 読む 😀 "quoted" \\ a::b';
    expect(escapeInvisible(text)).toBe(text);
    expect(abbreviateText('short')).toBe('short');
    expect(abbreviateName(text)).toBe(text);
    expect(quoteName('a "b" \\')).toBe('"a \\"b\\" \\\\"');
  });

  it('has invisible characters escaped', () => {
    const hidden = [
      0, 0x1b, 0x7f, 0x9b, 0xa0, 0xad, 0x61c, 0x180e, 0x200b, 0x202e, 0x2028, 0x2029, 0x2066, 0xd800, 0xfeff,
    ];
    for (const code of [...hidden, 0xfff9, 0xe0041]) {
      for (const shown of [escapeInvisible, abbreviateText, abbreviateName]) {
        expect(shown(`a${String.fromCodePoint(code)}b`)).toBe(`a\\u{${code.toString(16)}}b`);
      }
    }
  });

  it('is short', () => {
    expect(abbreviateText('x'.repeat(41))).toBe(`${'x'.repeat(40)}...`);
    expect(abbreviateName('x'.repeat(128))).toBe('x'.repeat(128));
    expect(abbreviateName('x'.repeat(129))).toBe(`${'x'.repeat(128)}...`);
    expect(quoteName('x'.repeat(129))).toBe(`"${'x'.repeat(128)}"...`);
    expect(quoteName('\u{10ffff}'.repeat(10_000)).length).toBeLessThan(1100);
  });
});
