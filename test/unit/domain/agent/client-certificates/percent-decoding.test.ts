import { describe, expect, it } from 'vitest';
import { percentDecodedAscii } from '../../../../../src/domain/agent/client-certificates/forwarded-certificate.js';

describe('percentDecodedAscii', () => {
  it.each([
    ['', ''],
    ['a+b', 'a+b'],
    ['a%20b%2Bc%2b', 'a b+c+'],
    ['%00%7f', '\0\x7f'],
    ['%2525', '%25'],
  ])('decodes %j', (text, decoded) => {
    expect(percentDecodedAscii(text)).toBe(decoded);
  });

  it.each(['%', '%2', '%2g', '%g2', '%%20', '% 2', '%80', '%ff', '%C3%A9', 'a b', 'a\n', 'é', '%\uff12\uff10', '\0'])(
    'refuses %j',
    (text) => {
      expect(percentDecodedAscii(text)).toBeNull();
    },
  );
});
