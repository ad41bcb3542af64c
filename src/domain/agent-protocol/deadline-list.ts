/** What can be in a `DeadlineList`: the links belong to the list. */
export interface Deadlined<Self> {
  readonly deadlineMs: number;
  earlier: Self | null;
  later: Self | null;
}

/**
 * Things that wait, in the order of their deadlines. All of them wait equally long, so each is added at the end, and
 * one timer for the first is enough. Adding and removing cost the same however many there are.
 */
export class DeadlineList<Item extends Deadlined<Item>> {
  #first: Item | null = null;
  #last: Item | null = null;

  get first(): Item | null {
    return this.#first;
  }

  /** INVARIANT: its deadline is not before that of the last one added. */
  add(item: Item): void {
    item.earlier = this.#last;
    if (this.#last === null) this.#first = item;
    else this.#last.later = item;
    this.#last = item;
  }

  /** Takes out an item that is in this list. */
  remove(item: Item): void {
    if (item.earlier === null) this.#first = item.later;
    else item.earlier.later = item.later;
    if (item.later === null) this.#last = item.earlier;
    else item.later.earlier = item.earlier;
    item.earlier = null;
    item.later = null;
  }
}
