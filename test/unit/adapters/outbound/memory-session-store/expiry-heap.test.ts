import { describe, expect, it } from 'vitest';
import { ExpiryHeap } from '../../../../../src/adapters/outbound/memory-session-store/expiring-map.js';

const heapOf = (ends: readonly number[]) => {
  const heap = new ExpiryHeap<number>((end) => end);
  return { heap, entries: ends.map((end) => heap.add(`of ${end}`, end)) };
};

const expiredAt = (heap: ExpiryHeap<number>, nowMs: number): number[] =>
  heap
    .expiredAt(nowMs, 100)
    .map(({ value }) => value)
    .sort((one, other) => one - other);

describe('entries by their ends', () => {
  it('are found by their ends, whichever was taken out', () => {
    const ends = [0, 10, 1, 11, 12, 2];
    for (const gone of ends) {
      const { heap, entries } = heapOf(ends);
      const entry = entries.find(({ value }) => value === gone);
      if (entry === undefined) throw new Error('there is no such entry');
      heap.remove(entry);
      const left = ends.filter((end) => end !== gone).sort((one, other) => one - other);
      for (const nowMs of [-1, 0, 1, 2, 5, 10, 11, 12]) {
        expect(expiredAt(heap, nowMs)).toEqual(left.filter((end) => end <= nowMs));
      }
    }
  });

  it('are found where their ends have moved, to either side', () => {
    const { heap, entries } = heapOf([0, 10, 1, 11, 12, 2]);
    const [first, , , , fifth] = entries;
    if (first === undefined || fifth === undefined) throw new Error('there are six');
    first.value = 20;
    heap.moved(first);
    fifth.value = -5;
    heap.moved(fifth);
    expect(expiredAt(heap, 1)).toEqual([-5, 1]);
    expect(expiredAt(heap, 20)).toEqual([-5, 1, 2, 10, 11, 20]);
  });
});
