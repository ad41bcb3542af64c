import { describe, expect, it } from 'vitest';
import { FormBuffer } from '../../../../../src/application/agent/agent-service/form-buffer.js';

describe('the form buffer', () => {
  it('allocates at most twice the needed memory for any chunk size', () => {
    const buffer = new FormBuffer(1_048_576);
    const piece = new Uint8Array([0x61]);
    let wrong = 0;
    for (let count = 1; count <= 20_000; count += 1) {
      const foretold = buffer.capacity + buffer.growthFor(piece);
      buffer.add(piece);
      if (buffer.capacity !== foretold || buffer.capacity > Math.max(4096, 2 * count)) wrong += 1;
    }
    expect(wrong).toBe(0);
    expect(buffer.octets()).toHaveLength(20_000);
    expect(buffer.octets().every((octet) => octet === 0x61)).toBe(true);
  });

  it('never exceeds its limit', () => {
    const buffer = new FormBuffer(5000);
    buffer.add(new Uint8Array(4500));
    expect(buffer.fits(new Uint8Array(500))).toBe(true);
    expect(buffer.fits(new Uint8Array(501))).toBe(false);
    buffer.add(new Uint8Array(500));
    expect(buffer.capacity).toBe(5000);
  });

  it('allocates nothing before the first chunk', () => {
    const buffer = new FormBuffer(5000);
    buffer.add(new Uint8Array(0));
    expect(buffer.octets()).toHaveLength(0);
    expect(new FormBuffer(10).capacity).toBe(0);
  });
});
