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
  /** Alone in most cases. INVARIANT: null only where there is none behind it but the tail. */
  #first: Buffer | null = null;
  /** Those behind it; null until there is one. */
  #others: Buffer[] | null = null;
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
    const last = this.#others?.at(-1) ?? this.#first;
    if (last === null || last.length >= smallOctets || piece.length >= smallOctets) {
      this.#append(inOwnMemory(piece));
      return;
    }
    if (this.#others?.pop() === undefined) this.#first = null;
    this.#tail = Buffer.allocUnsafeSlow(firstRoom);
    this.#filled = 0;
    // INVARIANT: two small pieces have room in a new tail.
    this.#fill(last);
    this.#fill(piece);
  }

  /** Before all others. */
  pushFirst(piece: Buffer): void {
    this.#octets += piece.length;
    const own = inOwnMemory(piece);
    if (this.#first === null) this.#seal();
    if (this.#first !== null) {
      this.#others ??= [];
      this.#others.unshift(this.#first);
    }
    this.#first = own;
  }

  /** The first piece, which stays where it is; null where there is none. */
  first(): Buffer | null {
    return this.#first ?? (this.#tail === null ? null : this.#tail.subarray(0, this.#filled));
  }

  /** The first piece; null where there is none. */
  take(): Buffer | null {
    if (this.#first === null) this.#seal();
    const piece = this.#first;
    if (piece === null) return null;
    this.#octets -= piece.length;
    this.#first = this.#others?.shift() ?? null;
    return piece;
  }

  clear(): void {
    this.#first = null;
    this.#others = null;
    this.#tail = null;
    this.#octets = 0;
  }

  #append(piece: Buffer): void {
    if (this.#first === null) this.#first = piece;
    else {
      this.#others ??= [];
      this.#others.push(piece);
    }
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
    if (this.#tail !== null) this.#append(inOwnMemory(this.#tail.subarray(0, this.#filled)));
    this.#tail = null;
  }
}
