import { describe, expect, it } from 'vitest';
import { CryptoRandom } from '../../../../../src/adapters/outbound/node-random/crypto-random.js';

describe('CryptoRandom', () => {
  it('gives version 4 UUIDs, each another', () => {
    const random = new CryptoRandom();
    // More than are made at once, and more than are taken from the operating system at once.
    const ids = Array.from({ length: 3_000 }, () => random.uuid());
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(3_000);
    const digits = Array.from({ length: 36 }, (_, place) => new Set(ids.map((id) => id[place])).size);
    const all = (count: number): number[] => Array.from({ length: count }, () => 16);
    expect(digits).toEqual([...all(8), 1, ...all(4), 1, 1, ...all(3), 1, 4, ...all(3), 1, ...all(12)]);
  });

  it('gives fractions that are at least 0 and below 1, all over the range', () => {
    const random = new CryptoRandom();
    const fractions = Array.from({ length: 1_000 }, () => random.fraction());
    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
    expect(new Set(fractions.map((fraction) => Math.floor(fraction * 4))).size).toBe(4);
  });

  it('gives hexadecimal digits of the length that is asked for, each time others', () => {
    const random = new CryptoRandom();
    // More than are taken from the operating system at once.
    const texts = Array.from({ length: 1_000 }, (_, index) => random.hex(index % 2 === 0 ? 8 : 16));
    for (const [index, text] of texts.entries())
      expect(text).toMatch(index % 2 === 0 ? /^[0-9a-f]{16}$/ : /^[0-9a-f]{32}$/);
    expect(new Set(texts).size).toBe(1_000);
    const digits = new Set(texts.join(''));
    expect(digits.size).toBe(16);
  });

  it('never gives an id that is all zero', () => {
    const random = new CryptoRandom();
    const octets = new Set(Array.from({ length: 20_000 }, () => random.hex(1)));
    expect(octets.size).toBe(255);
    expect(octets.has('00')).toBe(false);
  });
});
