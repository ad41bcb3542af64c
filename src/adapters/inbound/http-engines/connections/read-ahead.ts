/** Octets of one body that may be read before somebody asks for them; one piece may go beyond. */
export const maxReadAheadOctets = 1_048_576;

/** The same for all bodies of a listener. */
const maxSharedOctets = 67_108_864;

/** For all heads of a listener of which some has not come, beyond what each may hold by itself. */
const maxHeadOctets = 67_108_864;

/** What is held together of what the clients of a listener sent before anybody could use it, in octets. */
export class ReadAheadBudget {
  /** For bodies, beyond what each may hold by itself. */
  left = maxSharedOctets;
  /** For heads of which some has not come, beyond the usual length of one. */
  leftForHeads = maxHeadOctets;
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
