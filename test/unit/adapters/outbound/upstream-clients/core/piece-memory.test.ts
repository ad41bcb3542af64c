import { describe, expect, it } from 'vitest';
import {
  allocateBuffer,
  reuse,
} from '../../../../../../src/adapters/outbound/upstream-clients/core/received-response.js';

describe('the memory of a piece', () => {
  it.each([4_097, 8_192, 8_193, 20_000, 65_536])(
    'of %i octets is that of the next one once it was given back',
    (octets) => {
      const piece = allocateBuffer(octets);
      expect(piece).toHaveLength(octets);
      expect(piece.buffer.byteLength).toBeLessThan(octets * 2);
      reuse(piece);
      expect(allocateBuffer(octets).buffer).toBe(piece.buffer);
    },
  );

  it('is nobody else’s while it was not given back', () => {
    const memories = new Set(Array.from({ length: 100 }, () => allocateBuffer(10_000).buffer));
    expect(memories.size).toBe(100);
  });

  it('is lent to one at a time, however often it is given back', () => {
    const piece = allocateBuffer(10_000);
    reuse(piece);
    reuse(piece);
    expect(allocateBuffer(10_000).buffer).not.toBe(allocateBuffer(10_000).buffer);
  });

  it('that is not its own is never taken', () => {
    const foreign = Buffer.allocUnsafeSlow(65_536);
    reuse(foreign);
    expect(allocateBuffer(65_536).buffer).not.toBe(foreign.buffer);
    expect(allocateBuffer(1_000)).toHaveLength(1_000);
    expect(allocateBuffer(100_000)).toHaveLength(100_000);
  });

  it('is kept up to a bound', () => {
    const given = Array.from({ length: 40 }, () => allocateBuffer(65_536));
    const memories = new Set(given.map(({ buffer }) => buffer));
    for (const piece of given) reuse(piece);
    const again = Array.from({ length: 40 }, () => allocateBuffer(65_536));
    expect(again.filter(({ buffer }) => memories.has(buffer))).toHaveLength(16);
  });
});
