import { describe, expect, it } from 'vitest';
import {
  BufferedOctetCounter,
  type BufferingConnection,
} from '../../../../../src/application/agent/serve-gateways/buffered-octet-counter.js';

const holder = (): BufferingConnection & { readonly reasons: string[] } => {
  const reasons: string[] = [];
  return { reasons, giveUp: (reason) => reasons.push(reason) };
};

describe('BufferedOctetCounter', () => {
  it('evicts the largest buffers until enough is free', () => {
    const held = new BufferedOctetCounter(100);
    const [small, middle, large] = [holder(), holder(), holder()];
    held.note(small, 10);
    held.note(middle, 40);
    held.note(large, 50);
    expect(held.total).toBe(100);
    held.note(small, 65);
    expect([small, middle, large].map(({ reasons }) => reasons.length)).toEqual([1, 0, 0]);
    held.note(middle, 60);
    expect([small, middle, large].map(({ reasons }) => reasons.length)).toEqual([1, 1, 0]);
    expect(held.total).toBe(50);
  });

  it('counts the current octets only', () => {
    const held = new BufferedOctetCounter(100);
    const one = holder();
    for (const octets of [90, 20, 90, 0, 100]) held.note(one, octets);
    expect(held.total).toBe(100);
    held.forget(one);
    held.forget(one);
    expect(held.total).toBe(0);
    expect(one.reasons).toEqual([]);
  });
});
