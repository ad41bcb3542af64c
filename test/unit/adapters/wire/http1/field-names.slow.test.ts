import { describe, expect, it } from 'vitest';
import { FieldNames } from '../../../../../src/adapters/wire/http1/message-head.js';
import { octetsUsed } from '../../../../support/gateway/octets-used.js';

const names = new FieldNames((name) => (name.startsWith('x') ? 1 : name.length << 1));

const size = 4_000_000;

describe('FieldNames', () => {
  it.each<[string, (index: number) => string]>([
    ['the text that a name came in', (index) => `x-name-of-some-length-${index}`],
    ['a name that is too long', (index) => `x${index}`.padEnd(size, '-')],
  ])('does not hold on to %s', (_, name) => {
    const before = octetsUsed();
    for (let index = 0; index < 10; index += 1) {
      const text = Buffer.from(`${name(index)}: ${' '.repeat(size)}`).toString('latin1');
      expect(names.take(text, 0, name(index).length).length).toBe(name(index).length);
    }
    // The last text and its name may still be at hand; all of them would be more.
    expect(octetsUsed() - before).toBeLessThan(6 * size);
  });
});
