import { expect, it } from 'vitest';
import { ExpiringMap } from '../../../../../src/adapters/outbound/memory-session-store/expiring-map.js';

it('entries that are over are looked for again only once another one can be', () => {
  let looked = 0;
  const map = new ExpiringMap<number>((end) => {
    looked += 1;
    return end;
  });
  const removeOver = (nowMs: number, limit = 1_000): number => {
    const keys = map.over(nowMs, limit);
    for (const key of keys) map.delete(key);
    return keys.length;
  };
  for (let entry = 0; entry < 100; entry += 1) map.set(`first ${entry}`, 10);
  for (let entry = 0; entry < 900; entry += 1) map.set(`second ${entry}`, 20);
  looked = 0;
  expect(removeOver(9)).toBe(0);
  expect(looked).toBe(0);
  expect(removeOver(10)).toBe(100);
  expect(looked).toBe(1_000);
  for (let time = 0; time < 50; time += 1) expect(removeOver(11)).toBe(0);
  expect(looked).toBe(1_000);
  // One that ends earlier than those that are there is not missed.
  map.set('third', 15);
  expect(removeOver(15)).toBe(1);
  // Nor are those that a limit has left.
  expect([removeOver(20, 500), removeOver(20, 500), map.size]).toEqual([500, 400, 0]);
});
