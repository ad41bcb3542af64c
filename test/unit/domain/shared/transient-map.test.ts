import { describe, expect, it } from 'vitest';
import { TransientMap } from '../../../../src/domain/shared/transient-map.js';

/** Pairs of texts with equal 32-bit FNV-1a hashes, also with a common suffix. */
const alike = [
  ['costarring', 'liquid'],
  ['declinate', 'macallums'],
  ['altarage', 'zinke'],
] as const;

const mapOf = (...keys: readonly string[]): TransientMap<string> => {
  const map = new TransientMap<string>();
  for (const key of keys) map.set(key, `value of ${key}`);
  return map;
};

describe('a transient map', () => {
  it('is empty at first', () => {
    const map = new TransientMap<number>();
    expect([map.size, map.firstKey, map.keys(), map.values()]).toEqual([0, null, [], []]);
    expect([map.get('a'), map.has('a'), map.delete('a')]).toEqual([undefined, false, false]);
  });

  it('keeps entries in insertion order', () => {
    const map = mapOf('b', 'a', 'c');
    expect([map.size, map.firstKey]).toEqual([3, 'b']);
    expect(map.keys()).toEqual(['b', 'a', 'c']);
    expect(map.values()).toEqual(['value of b', 'value of a', 'value of c']);
    expect([map.get('a'), map.has('a'), map.has('d')]).toEqual(['value of a', true, false]);
  });

  it('updates a key in place, and appends a removed one', () => {
    const map = mapOf('a', 'b', 'c');
    map.set('a', 'another');
    expect([map.size, map.firstKey, map.get('a')]).toEqual([3, 'a', 'another']);
    expect([map.delete('a'), map.delete('a')]).toEqual([true, false]);
    expect([map.size, map.firstKey, map.has('a')]).toEqual([2, 'b', false]);
    map.set('a', 'again');
    expect(map.keys()).toEqual(['b', 'c', 'a']);
  });

  it('keeps the order after removals', () => {
    for (const gone of ['a', 'b', 'c', 'd']) {
      const map = mapOf('a', 'b', 'c', 'd');
      map.delete(gone);
      map.set('e', 'later');
      const left = ['a', 'b', 'c', 'd', 'e'].filter((key) => key !== gone);
      expect([map.keys(), map.firstKey, map.size]).toEqual([left, left[0], 4]);
    }
  });

  it('distinguishes undefined from absent', () => {
    const map = new TransientMap<undefined>();
    map.set('a', undefined);
    expect([map.get('a'), map.has('a'), map.size, map.delete('a'), map.has('a')]).toEqual([
      undefined,
      true,
      1,
      true,
      false,
    ]);
  });

  it('accepts any key', () => {
    const keys = ['', ' ', '__proto__', 'constructor', '\u0000', 'é', '\ud800', '😀', 'x'.repeat(10_000)];
    const map = mapOf(...keys);
    expect(map.keys()).toEqual(keys);
    expect(keys.map((key) => map.get(key))).toEqual(keys.map((key) => `value of ${key}`));
  });

  it('distinguishes keys with equal hashes', () => {
    const keys = alike.flatMap(([one, other]) => ['', '-1', '-2'].flatMap((end) => [one + end, other + end]));
    for (const gone of keys) {
      const map = mapOf(...keys);
      expect(map.delete(gone)).toBe(true);
      expect(map.has(gone)).toBe(false);
      for (const key of keys) expect(map.get(key)).toBe(key === gone ? undefined : `value of ${key}`);
      map.set(gone, 'again');
      expect(map.keys()).toEqual([...keys.filter((key) => key !== gone), gone]);
      for (const key of keys) expect(map.delete(key)).toBe(true);
      expect([map.size, map.firstKey]).toEqual([0, null]);
    }
  });

  it('handles thousands of entries in any order', () => {
    const count = 10_000;
    const keys = Array.from({ length: count }, (_, index) => `request-${index}`);
    const map = mapOf(...keys);
    expect(map.size).toBe(count);
    expect(map.keys()).toEqual(keys);
    for (const key of keys) expect(map.get(key)).toBe(`value of ${key}`);
    // 7919 is prime, so each key occurs once.
    for (let step = 1; step <= count; step += 1) {
      const key = `request-${(step * 7919) % count}`;
      expect(map.delete(key)).toBe(true);
      if (map.size !== count - step || map.has(key)) throw new Error(`${key} is there`);
    }
    expect([map.size, map.firstKey, map.keys()]).toEqual([0, null, []]);
    map.set('a', 'later');
    expect(map.keys()).toEqual(['a']);
  });

  it('is usable after clear', () => {
    const keys = Array.from({ length: 100 }, (_, index) => `request-${index}`);
    const map = mapOf(...keys);
    map.clear();
    expect([map.size, map.firstKey, map.keys(), map.has('request-7')]).toEqual([0, null, [], false]);
    map.set('request-7', 'again');
    expect([map.values(), map.size]).toEqual([['again'], 1]);
  });

  it('returns snapshots, so that callers may modify it', () => {
    const map = mapOf('a', 'b', 'c');
    const seen: string[] = [];
    for (const key of map.keys()) {
      seen.push(key);
      map.delete(key);
      map.set(`${key}-again`, 'again');
    }
    expect([seen, map.keys()]).toEqual([
      ['a', 'b', 'c'],
      ['a-again', 'b-again', 'c-again'],
    ]);
  });
});
