interface Counts {
  underWay: number;
  dropped: number;
}

const none: Counts = { underWay: 0, dropped: 0 };

/** How many forms there are, in all and of each client address. It remembers an address as long as there are any of it. */
export class FormCounts {
  readonly #ofAddress = new Map<string, Counts>();
  readonly #all: Counts = { ...none };

  get all(): Readonly<Counts> {
    return this.#all;
  }

  of(address: string): Readonly<Counts> {
    return this.#ofAddress.get(address) ?? none;
  }

  /** @param change what is added to the counts */
  change(address: string, { underWay, dropped }: Readonly<Counts>): void {
    const counts = this.#ofAddress.get(address) ?? { ...none };
    for (const changed of [counts, this.#all]) {
      changed.underWay += underWay;
      changed.dropped += dropped;
    }
    if (counts.underWay === 0 && counts.dropped === 0) this.#ofAddress.delete(address);
    else this.#ofAddress.set(address, counts);
  }
}
