/** Chance that a seed repeats: the same seed gives the same numbers, on every machine. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 up to 2^32, not included (the step of splitmix32). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** A whole number from 0 up to `bound`, not included; 0 where the bound is 0. */
  below(bound: number): number {
    return bound <= 0 ? 0 : Math.floor((this.next() / 0x1_0000_0000) * bound);
  }

  /** True in `share` of all cases; from 0 to 1. */
  chance(share: number): boolean {
    return this.next() < share * 0x1_0000_0000;
  }

  /** Throws a RangeError where the list is empty. */
  pick<Item>(items: readonly Item[]): Item {
    const index = this.below(items.length);
    if (index >= items.length) throw new RangeError('nothing to pick from');
    return items[index] as Item;
  }
}

/** The chance of one case of a run: each can be repeated without those before it. */
export const chanceOf = (seed: number, index: number): SeededRandom =>
  new SeededRandom(Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
