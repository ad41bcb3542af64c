/** An item of a `DeadlineList`, which owns the links. */
export interface Deadlined<Self> {
  readonly deadlineMs: number;
  earlier: Self | null;
  later: Self | null;
}

/**
 * Waiting items in the order of their deadlines. All wait equally long, so new items go to the end and one timer for
 * the first suffices. Adding and removing take constant time.
 */
export class DeadlineList<Item extends Deadlined<Item>> {
  #first: Item | null = null;
  #last: Item | null = null;

  get first(): Item | null {
    return this.#first;
  }

  /** INVARIANT: the deadline is not before that of the last item. */
  add(item: Item): void {
    item.earlier = this.#last;
    if (this.#last === null) this.#first = item;
    else this.#last.later = item;
    this.#last = item;
  }

  /** Removes an item of this list. */
  remove(item: Item): void {
    if (item.earlier === null) this.#first = item.later;
    else item.earlier.later = item.later;
    if (item.later === null) this.#last = item.earlier;
    else item.later.earlier = item.earlier;
    item.earlier = null;
    item.later = null;
  }
}
