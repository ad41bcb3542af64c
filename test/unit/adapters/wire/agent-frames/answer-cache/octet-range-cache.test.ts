import { describe, expect, it } from 'vitest';
import { OctetRangeCache } from '../../../../../../src/adapters/wire/agent-frames/answer-cache/octet-range-cache.js';

const texts = Buffer.from('alice bob   carol alice');

describe('OctetRangeCache', () => {
  it('finds octets wherever they stand, and no others', () => {
    const memory = new OctetRangeCache<string>(4);
    memory.put(texts, 0, 5, 'first');
    expect(memory.find(texts, 18, 23)).toBe('first');
    expect(memory.find(Buffer.from('alice'), 0, 5)).toBe('first');
    expect(memory.find(texts, 0, 4)).toBeNull();
    expect(memory.find(texts, 12, 17)).toBeNull();
  });

  it('keeps a copy', () => {
    const memory = new OctetRangeCache<string>(4);
    const octets = Buffer.from('dave.');
    memory.put(octets, 0, 4, 'dave');
    octets.fill('x');
    expect(memory.find(Buffer.from('dave'), 0, 4)).toBe('dave');
    expect(memory.find(octets, 0, 4)).toBeNull();
  });

  it('forgets those that were remembered first', () => {
    const memory = new OctetRangeCache<number>(100);
    const numbers = Array.from({ length: 250 }, (_, index) => Buffer.from(`number ${index}`));
    for (const [index, octets] of numbers.entries()) memory.put(octets, 0, octets.length, index);
    expect(memory.size).toBe(100);
    const found = numbers.map((octets) => memory.find(octets, 0, octets.length));
    expect(found).toEqual(numbers.map((_, index) => (index < 150 ? null : index)));
  });

  it('has one place for what is remembered again', () => {
    const memory = new OctetRangeCache<string>(2);
    memory.put(texts, 0, 5, 'alice');
    memory.put(texts, 6, 9, 'bob');
    memory.put(texts, 6, 9, 'robert');
    expect([memory.find(texts, 0, 5), memory.find(texts, 6, 9)]).toEqual(['alice', 'robert']);
  });

  it('finds what comes again and again, and others in between, as they were remembered last', () => {
    const memory = new OctetRangeCache<string>(4);
    memory.put(texts, 0, 5, 'alice');
    memory.put(texts, 6, 9, 'bob');
    const found = [0, 0, 0, 6, 0, 6, 6, 6].map((start) => memory.find(texts, start, start === 0 ? 5 : 9));
    expect(found).toEqual(['alice', 'alice', 'alice', 'bob', 'alice', 'bob', 'bob', 'bob']);
    memory.put(texts, 6, 9, 'robert');
    expect(memory.find(texts, 6, 9)).toBe('robert');
    expect(memory.find(texts, 6, 8)).toBeNull();
    expect(memory.find(texts, 5, 8)).toBeNull();
  });
});
