import { expect, it } from 'vitest';
import { ExpiringMap } from '../../../../../src/adapters/outbound/memory-session-store/expiring-map.js';

/** A map that counts how often an end is looked at. */
const counted = () => {
  let looked = 0;
  const map = new ExpiringMap<number>((end) => {
    looked += 1;
    return end;
  });
  const removeOver = (nowMs: number, limit = 1_000): number => {
    const keys = map.expired(nowMs, limit);
    for (const key of keys) map.delete(key);
    return keys.length;
  };
  const looksOf = (work: () => void): number => {
    const before = looked;
    work();
    return looked - before;
  };
  return { map, removeOver, looksOf };
};

it('entries that are over are found, those that end before others that came first as well, and those that a limit has left', () => {
  const { map, removeOver } = counted();
  for (let entry = 0; entry < 100; entry += 1) map.set(`first ${entry}`, 10);
  for (let entry = 0; entry < 900; entry += 1) map.set(`second ${entry}`, 20);
  expect([removeOver(9), removeOver(10), removeOver(11)]).toEqual([0, 100, 0]);
  map.set('third', 15);
  expect(removeOver(15)).toBe(1);
  map.set('second 0', 30);
  expect([removeOver(20, 500), removeOver(20, 500), map.size, removeOver(30)]).toEqual([500, 399, 1, 1]);
});

it('a full map in which each entry ends at a moment of its own does little for each that comes', () => {
  const { map, removeOver, looksOf } = counted();
  const size = 20_000;
  // Spread over all of the time, in an order that looks like none.
  for (let entry = 0; entry < size; entry += 1) map.set(`e${entry}`, size + ((entry * 7_919) % size));
  let most = 0;
  for (let step = 0; step < 2 * size; step += 1) {
    const looks = looksOf(() => {
      expect(removeOver(size + step, size)).toBe(1);
      map.set(`s${step}`, 2 * size + step);
    });
    most = Math.max(most, looks);
  }
  expect(map.size).toBe(size);
  expect(most).toBeLessThan(100);
  expect(looksOf(() => map.expired(0, size))).toBe(1);
});

it('a map in which nothing is over is not looked through, whoever comes, changes or goes', () => {
  const { map, looksOf } = counted();
  const size = 20_000;
  for (let entry = 0; entry < size; entry += 1) map.set(`e${entry}`, size - entry);
  const most = Math.max(
    looksOf(() => map.set('new', 0.5)),
    looksOf(() => map.set('e0', 0.25)),
    looksOf(() => map.set('e0', 2 * size)),
    looksOf(() => map.delete('e7')),
    looksOf(() => map.delete(map.firstKey() ?? '')),
  );
  expect(most).toBeLessThan(100);
});
