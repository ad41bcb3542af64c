/** Room that is made for the first octets. */
const firstRoom = 256;

const nothing = new Uint8Array(0);

/** Octets that came in pieces and are wanted as one. However small the pieces are, they are copied a few times at the most. */
export class HeaderBlockBuffer {
  readonly #maxRoom: number;
  #octets: Uint8Array = nothing;
  #length = 0;

  /** @param maxRoom octets that are held at a time: those of a piece that goes beyond have room made for them all the same */
  constructor(maxRoom: number) {
    this.#maxRoom = maxRoom;
  }

  get length(): number {
    return this.#length;
  }

  /** Octets of the memory that it has. */
  get room(): number {
    return this.#octets.length;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#octets.length) {
      const room = Math.min(Math.max(firstRoom, this.#octets.length * 2), this.#maxRoom);
      const wider = new Uint8Array(Math.max(length, room));
      wider.set(this.#octets.subarray(0, this.#length));
      this.#octets = wider;
    }
    this.#octets.set(piece, this.#length);
    this.#length = length;
  }

  /** Gives all of them, and holds nothing any more. */
  release(): Uint8Array {
    const octets = this.#octets.subarray(0, this.#length);
    this.#octets = nothing;
    this.#length = 0;
    return octets;
  }
}
