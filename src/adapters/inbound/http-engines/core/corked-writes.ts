import type { Socket } from 'node:net';
import { type LateWriter, writeLate } from '../../../event-loop-batching/deferred-writes.js';
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

/** The last text of a response, which waits for the end of the turn. */
export class DeferredResponse implements LateWriter {
  readonly #socket: Socket;
  readonly #onWritten: () => void;
  #text: string | null = null;

  /** @param onWritten called when what has waited was given to the socket */
  constructor(socket: Socket, onWritten: () => void) {
    this.#socket = socket;
    this.#onWritten = onWritten;
  }

  get isWaiting(): boolean {
    return this.#text !== null;
  }

  /**
   * False: it cannot wait, and is to be written now, or into nothing where the socket is known to be gone. A text of no characters behind
   * one that waits takes nothing from that.
   */
  take(text: string): boolean {
    const socket = this.#socket;
    if (this.#text !== null || socket.writableLength > 0 || socket.destroyed) return false;
    this.#text = text;
    writeLate(this);
    return true;
  }

  /** The connection has closed. */
  drop(): void {
    this.#text = null;
  }

  writeNow(): void {
    const text = this.#text;
    this.#text = null;
    if (text === null || this.#socket.destroyed) return;
    this.#socket.write(text, 'latin1');
    this.#onWritten();
  }
}

const slabOctets = 65_536;
/** Octets of text and content together that go out as one piece; more is handed to the system as it lies. */
const maxJoinedOctets = 16_384;

/** Writes what belongs together so that the system is called once for it. */
export class CorkedWrites {
  #slab = Buffer.allocUnsafeSlow(slabOctets);
  /** Octets of the slab that may still be read by a write under way. */
  #used = 0;

  /**
   * Writes a text (one character for each octet), octets and another text. Says what `socket.write` does.
   *
   * @param written called when all of it was taken by the system, or with an error
   */
  write(
    socket: Socket,
    before: string,
    octets: Uint8Array,
    behind: string,
    written: (() => void) | undefined,
  ): boolean {
    const length = before.length + octets.length + behind.length;
    if (length > maxJoinedOctets) return inParts(socket, before, octets, behind, written);
    if (this.#used + length > slabOctets) {
      this.#slab = Buffer.allocUnsafeSlow(slabOctets);
      this.#used = 0;
    }
    const slab = this.#slab;
    const start = this.#used;
    slab.write(before, start, 'latin1');
    slab.set(octets, start + before.length);
    if (behind !== '') slab.write(behind, start + before.length + octets.length, 'latin1');
    const takesMore = socket.write(slab.subarray(start, start + length), written);
    // INVARIANT: where the stream holds nothing any more, the system has all of it, and the place can be written to again.
    if (socket.writableLength > 0) this.#used = start + length;
    return takesMore;
  }
}

const inParts = (
  socket: Socket,
  before: string,
  octets: Uint8Array,
  behind: string,
  written: (() => void) | undefined,
): boolean => {
  socket.cork();
  if (before !== '') socket.write(before, 'latin1');
  const takesMore = socket.write(octets, written);
  const result = behind === '' ? takesMore : socket.write(behind, 'latin1', written);
  socket.uncork();
  return result;
};
