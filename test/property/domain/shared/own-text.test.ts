import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownText } from '../../../../src/domain/shared/utf8.js';

describe('ownText', () => {
  it('is equal to its source', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (text, before, behind) => {
        const whole = before + text + behind;
        expect(ownText(whole.slice(before.length, before.length + text.length))).toBe(text);
      }),
    );
    // A lone surrogate is an ordinary character here.
    expect(ownText('\ud83d')).toBe('\ud83d');
    expect(ownText('\ud83d\ude00a')).toBe('\ud83d\ude00a');
    expect(ownText('')).toBe('');
  });
});
