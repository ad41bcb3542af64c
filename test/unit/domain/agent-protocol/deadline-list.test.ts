import { describe, expect, it } from 'vitest';
import { type Deadlined, DeadlineList } from '../../../../src/domain/agent-protocol/deadline-list.js';

class Item implements Deadlined<Item> {
  readonly deadlineMs: number;
  earlier: Item | null = null;
  later: Item | null = null;

  constructor(deadlineMs: number) {
    this.deadlineMs = deadlineMs;
  }
}

const deadlines = (list: DeadlineList<Item>): number[] => {
  const found: number[] = [];
  for (let item = list.first; item !== null; item = item.later) found.push(item.deadlineMs);
  return found;
};

describe('DeadlineList', () => {
  it('keeps the order after removals', () => {
    const items = [1, 2, 3, 4, 5].map((deadline) => new Item(deadline));
    for (const removed of [0, 2, 4]) {
      const list = new DeadlineList<Item>();
      for (const item of items) list.add(item);
      list.remove(items[removed] as Item);
      expect(deadlines(list)).toEqual([1, 2, 3, 4, 5].filter((deadline) => deadline !== removed + 1));
      for (const item of items) if (item !== items[removed]) list.remove(item);
      expect(list.first).toBeNull();
    }
  });

  it('is usable after it was empty', () => {
    const list = new DeadlineList<Item>();
    const item = new Item(1);
    list.add(item);
    list.remove(item);
    list.add(item);
    list.add(new Item(2));
    expect(deadlines(list)).toEqual([1, 2]);
  });
});
