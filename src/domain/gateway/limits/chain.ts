/** A place in a `Chain`. The links belong to the chain. */
export class ChainLink<Value> {
  earlier: ChainLink<Value> | null = null;
  later: ChainLink<Value> | null = null;

  constructor(readonly value: Value) {}
}

/** Things in the order in which they came. Adding at the end and taking out anywhere cost the same however many there are. */
export class Chain<Value> {
  #first: ChainLink<Value> | null = null;
  #last: ChainLink<Value> | null = null;

  get first(): Value | null {
    return this.#first === null ? null : this.#first.value;
  }

  get last(): Value | null {
    return this.#last === null ? null : this.#last.value;
  }

  get isEmpty(): boolean {
    return this.#first === null;
  }

  /** Adds a value at the end; the link is what it is taken out by. */
  append(value: Value): ChainLink<Value> {
    const link = new ChainLink(value);
    link.earlier = this.#last;
    if (this.#last === null) this.#first = link;
    else this.#last.later = link;
    this.#last = link;
    return link;
  }

  /** INVARIANT: the link is in this chain. */
  remove(link: ChainLink<Value>): void {
    if (link.earlier === null) this.#first = link.later;
    else link.earlier.later = link.later;
    if (link.later === null) this.#last = link.earlier;
    else link.later.earlier = link.earlier;
    link.earlier = null;
    link.later = null;
  }
}
