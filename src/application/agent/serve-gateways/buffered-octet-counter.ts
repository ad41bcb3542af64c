/** A connection, as far as what it holds is concerned. */
export interface OctetHolder {
  /** Frees what it holds at once. */
  giveUp(reason: string): void;
}

/**
 * What all connections together hold of unfinished messages and of events that the service has not been given. Each
 * has its own limits, whose sum would be more than a machine has.
 */
export class BufferedOctetCounter {
  readonly #maximum: number;
  readonly #held = new Map<OctetHolder, number>();
  #total = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get total(): number {
    return this.#total;
  }

  /** A connection holds so much now. Where that is too much together, those that hold most are closed. */
  note(holder: OctetHolder, octets: number): void {
    const before = this.#held.get(holder) ?? 0;
    if (octets === before) return;
    this.#set(holder, before, octets);
    while (this.#total > this.#maximum) {
      const largest = this.#largest();
      if (largest === null) return;
      this.forget(largest);
      largest.giveUp('it holds the most memory of all connections, which together hold too much');
    }
  }

  /** A connection has ended. */
  forget(holder: OctetHolder): void {
    this.#set(holder, this.#held.get(holder) ?? 0, 0);
  }

  #set(holder: OctetHolder, before: number, octets: number): void {
    this.#total += octets - before;
    if (octets === 0) this.#held.delete(holder);
    else this.#held.set(holder, octets);
  }

  #largest(): OctetHolder | null {
    let largest: OctetHolder | null = null;
    let most = 0;
    for (const [holder, octets] of this.#held) {
      if (octets <= most) continue;
      largest = holder;
      most = octets;
    }
    return largest;
  }
}
