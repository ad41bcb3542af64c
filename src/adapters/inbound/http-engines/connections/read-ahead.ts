/** Octets of one body that may be read before somebody asks for them; one piece may go beyond. */
export const maxReadAheadOctets = 1_048_576;

/** The same for all bodies of a listener. */
const maxSharedOctets = 67_108_864;

/** What the bodies of a listener may still read ahead together, in octets. */
export class ReadAheadBudget {
  left = maxSharedOctets;
}

/** What was read of a body before somebody asked for it. */
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

  /** The next piece; null where there is none. */
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
