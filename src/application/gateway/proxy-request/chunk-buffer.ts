/** A piece from this size on is kept as it is; what is smaller is copied together: each piece costs more than its octets. */
export const largePieceOctets = 4_096;

/** Octets that came in pieces, however small, kept in few. */
export class ChunkBuffer {
  /** Of all pieces together. */
  octets = 0;
  readonly #closed: Uint8Array[] = [];
  /** Takes small pieces; null where there is none that has room. */
  #open: Uint8Array | null = null;
  #filled = 0;

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.octets += piece.length;
    if (this.#filled + piece.length > largePieceOctets) this.#close();
    if (piece.length >= largePieceOctets) {
      this.#closed.push(piece);
      return;
    }
    this.#open ??= new Uint8Array(largePieceOctets);
    this.#open.set(piece, this.#filled);
    this.#filled += piece.length;
  }

  /** All of them, in their order. */
  pieces(): readonly Uint8Array[] {
    this.#close();
    return this.#closed;
  }

  /** All of them as one. */
  joined(): Uint8Array {
    const [only, ...more] = this.pieces();
    if (only !== undefined && more.length === 0) return only;
    const all = new Uint8Array(this.octets);
    let offset = 0;
    for (const piece of this.#closed) {
      all.set(piece, offset);
      offset += piece.length;
    }
    return all;
  }

  #close(): void {
    // Exact, so that what is kept is never much more than the octets.
    if (this.#open !== null && this.#filled > 0) this.#closed.push(this.#open.slice(0, this.#filled));
    this.#filled = 0;
  }
}
