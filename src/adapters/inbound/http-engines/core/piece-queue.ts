import { inOwnMemory } from './own-memory.js';

/** Octets: pieces that are smaller are joined with what is before them, where that is small too. */
const smallOctets = 2_048;
const firstRoom = 4_096;
const mostRoom = 65_536;

/**
 * Octets that have come and wait to be read, in pieces. However small the pieces are in which they come, and of however large
 * a read they are a part, what is held costs little more than twice its octets.
 */
export class PieceQueue {
  readonly #pieces: Buffer[] = [];
  /** The last piece where small ones are joined in it; the queue's own memory, of which there is more than is filled. */
  #tail: Buffer | null = null;
  #filled = 0;
  #octets = 0;

  get octets(): number {
    return this.#octets;
  }

  /** `piece`: is not changed from now on. */
  push(piece: Buffer): void {
    this.#octets += piece.length;
    if (this.#tail !== null) {
      if (this.#fill(piece)) return;
      this.#seal();
    }
    const last = this.#pieces.at(-1);
    if (last === undefined || last.length >= smallOctets || piece.length >= smallOctets) {
      this.#pieces.push(inOwnMemory(piece));
      return;
    }
    this.#pieces.pop();
    this.#tail = Buffer.allocUnsafeSlow(firstRoom);
    this.#filled = 0;
    // INVARIANT: two small pieces have room in a new tail.
    this.#fill(last);
    this.#fill(piece);
  }

  /** Before all others. */
  pushFirst(piece: Buffer): void {
    this.#octets += piece.length;
    if (this.#pieces.length === 0) this.#seal();
    this.#pieces.unshift(inOwnMemory(piece));
  }

  /** The first piece, which stays where it is; null where there is none. */
  first(): Buffer | null {
    return this.#pieces[0] ?? (this.#tail === null ? null : this.#tail.subarray(0, this.#filled));
  }

  /** The first piece; null where there is none. */
  take(): Buffer | null {
    if (this.#pieces.length === 0) this.#seal();
    const piece = this.#pieces.shift() ?? null;
    if (piece !== null) this.#octets -= piece.length;
    return piece;
  }

  clear(): void {
    this.#pieces.length = 0;
    this.#tail = null;
    this.#octets = 0;
  }

  #fill(piece: Buffer): boolean {
    const tail = this.#tail;
    if (tail === null || piece.length >= smallOctets) return false;
    const filled = this.#filled + piece.length;
    if (filled > mostRoom) return false;
    if (filled > tail.length) {
      const wider = Buffer.allocUnsafeSlow(tail.length * 2);
      tail.copy(wider, 0, 0, this.#filled);
      this.#tail = wider;
    }
    (this.#tail as Buffer).set(piece, this.#filled);
    this.#filled = filled;
    return true;
  }

  #seal(): void {
    if (this.#tail !== null) this.#pieces.push(inOwnMemory(this.#tail.subarray(0, this.#filled)));
    this.#tail = null;
  }
}
