import type { SeededRandom } from './seeded-random.js';

/** Octets in the pieces in which they might come: often two or three, sometimes one by one. */
export const pieces = (random: SeededRandom, octets: Uint8Array): readonly Uint8Array[] => {
  const list: Uint8Array[] = [];
  const longest = random.chance(0.2) ? 1 : random.chance(0.5) ? 8 : Math.max(1, octets.length);
  for (let at = 0; at < octets.length; ) {
    const end = Math.min(octets.length, at + 1 + random.below(longest));
    list.push(octets.subarray(at, end));
    at = end;
  }
  return list;
};
