import { describe, expect, it } from 'vitest';
import { ChunkBuffer } from '../../../../../src/application/gateway/proxy-request/buffered-body.js';

const numbered = (octets: number, from = 0): Buffer =>
  Buffer.from(Array.from({ length: octets }, (_, index) => (from + index) & 0xff));

describe('a chunk buffer', () => {
  it('merges single octets into few pieces that fit exactly', () => {
    const kept = new ChunkBuffer();
    const all = numbered(100_000);
    for (const octet of all) kept.add(Uint8Array.of(octet));
    const pieces = kept.pieces();
    expect(pieces.length).toBeLessThan(26);
    expect(pieces.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)).toBe(100_000);
    expect(Buffer.concat(pieces).equals(all)).toBe(true);
    expect(kept.octets).toBe(100_000);
  });

  it('keeps the order of pieces of any size', () => {
    const sizes = [1, 4_096, 0, 4_095, 1, 1, 5_000, 70_000, 3, 4_094, 4_095, 4_095, 2];
    const kept = new ChunkBuffer();
    const given = sizes.map((size, index) => numbered(size, index * 7));
    for (const piece of given) kept.add(piece);
    expect(Buffer.from(kept.joined()).equals(Buffer.concat(given))).toBe(true);
    expect(Buffer.concat(kept.pieces()).equals(Buffer.concat(given))).toBe(true);
  });

  it('does not copy large pieces', () => {
    const kept = new ChunkBuffer();
    const large = numbered(4_096);
    kept.add(large);
    expect(kept.joined()).toBe(large);
  });

  it('does not retain the buffer from which a small piece was cut', () => {
    const kept = new ChunkBuffer();
    kept.add(new Uint8Array(1_000_000).subarray(0, 10));
    expect(kept.joined().buffer.byteLength).toBe(10);
  });

  it('has no pieces when it is empty', () => {
    const kept = new ChunkBuffer();
    kept.add(new Uint8Array(0));
    expect(kept.pieces()).toEqual([]);
    expect(kept.joined()).toHaveLength(0);
  });
});
