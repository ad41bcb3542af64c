/** Octets of one body read before the application asks; the last chunk may exceed it. */
export const maxReadAheadOctets = 1_048_576;

/** The same for all bodies of a listener together. */
const maxSharedOctets = 67_108_864;

/** Octets of incomplete heads of a listener, beyond the allowance of each connection. */
const maxHeadOctets = 67_108_864;

/** Budget for data that clients of a listener sent before it can be used, in octets. */
export class ReadAheadBudget {
  /** For bodies, beyond the allowance of each. */
  left = maxSharedOctets;
  /** For incomplete heads, beyond the usual length of one. */
  leftForHeads = maxHeadOctets;
}

/** Body data that arrived before a read. */
export class ReadAhead {
  readonly #budget: ReadAheadBudget;
  readonly #pieces: Uint8Array[] = [];
  #octets = 0;

  constructor(budget: ReadAheadBudget) {
    this.#budget = budget;
  }

  get hasRoom(): boolean {
    return this.#octets < maxReadAheadOctets && this.#budget.left > 0;
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#count(piece.length);
  }

  /** The next chunk, or null. */
  take(): Uint8Array | null {
    const piece = this.#pieces.shift() ?? null;
    if (piece !== null) this.#count(-piece.length);
    return piece;
  }

  drop(): void {
    this.#pieces.length = 0;
    this.#count(-this.#octets);
  }

  #count(octets: number): void {
    this.#octets += octets;
    this.#budget.left -= octets;
  }
}
