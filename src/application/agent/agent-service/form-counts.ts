interface Counts {
  underWay: number;
  /** That the forms under way take. */
  octets: number;
  dropped: number;
}

const none: Counts = { underWay: 0, octets: 0, dropped: 0 };

/** How many forms there are, in all and of each address group. It remembers a group as long as there are any of it. */
export class FormCounts {
  readonly #ofGroup = new Map<string, Counts>();
  readonly #all: Counts = { ...none };

  get all(): Readonly<Counts> {
    return this.#all;
  }

  of(group: string): Readonly<Counts> {
    return this.#ofGroup.get(group) ?? none;
  }

  /** @param change what is added to the counts */
  change(group: string, { underWay = 0, octets = 0, dropped = 0 }: Readonly<Partial<Counts>>): void {
    const counts = this.#ofGroup.get(group) ?? { ...none };
    for (const changed of [counts, this.#all]) {
      changed.underWay += underWay;
      changed.octets += octets;
      changed.dropped += dropped;
    }
    if (counts.underWay === 0 && counts.dropped === 0) this.#ofGroup.delete(group);
    else this.#ofGroup.set(group, counts);
  }
}
