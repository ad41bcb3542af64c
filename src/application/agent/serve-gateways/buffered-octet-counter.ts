/** A connection that buffers octets. */
export interface BufferingConnection {
  /** Closes the connection and frees its buffers. */
  giveUp(reason: string): void;
}

/**
 * Limits the octets that all connections together buffer: incomplete messages and waiting events. The sum of the limits
 * per connection would exceed the memory of a machine.
 */
export class BufferedOctetCounter {
  readonly #maximum: number;
  readonly #held = new Map<BufferingConnection, number>();
  #total = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get total(): number {
    return this.#total;
  }

  /** Records the octets of a connection. If the total is too large, closes the largest connections. */
  note(holder: BufferingConnection, octets: number): void {
    const before = this.#held.get(holder) ?? 0;
    if (octets === before) return;
    this.#set(holder, before, octets);
    while (this.#total > this.#maximum) {
      const largest = this.#largest();
      if (largest === null) return;
      this.forget(largest);
      largest.giveUp('all connections together use too much memory, and this one uses the most');
    }
  }

  /** Removes a closed connection. */
  forget(holder: BufferingConnection): void {
    this.#set(holder, this.#held.get(holder) ?? 0, 0);
  }

  #set(holder: BufferingConnection, before: number, octets: number): void {
    this.#total += octets - before;
    if (octets === 0) this.#held.delete(holder);
    else this.#held.set(holder, octets);
  }

  #largest(): BufferingConnection | null {
    let largest: BufferingConnection | null = null;
    let most = 0;
    for (const [holder, octets] of this.#held) {
      if (octets <= most) continue;
      largest = holder;
      most = octets;
    }
    return largest;
  }
}
