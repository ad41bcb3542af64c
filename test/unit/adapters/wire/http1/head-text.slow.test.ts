import { describe, expect, it } from 'vitest';
import { fieldLines } from '../../../../../src/adapters/wire/http1/head-text.js';
import { octetsUsed } from '../../../../support/gateway/octets-used.js';

describe('heads as text', () => {
  it.each([20, 4_000_000])('hold on to no text that a name of %d characters was part of', (length) => {
    const size = 4_000_000;
    const before = octetsUsed();
    for (let index = 0; index < 10; index += 1) {
      const name = String.fromCharCode(0x61 + index).repeat(length);
      const whole = Buffer.from(`${name}${' '.repeat(size)}`).toString('latin1');
      expect(fieldLines([whole.slice(0, length), 'b']).startsWith(`${name}: b`)).toBe(true);
    }
    // The last text may still be at hand; all of them would be more.
    expect(octetsUsed() - before).toBeLessThan(8 * size);
  });
});
