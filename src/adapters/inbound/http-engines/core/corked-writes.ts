import { type DeferredWriter, deferWrite } from '../../../event-loop-batching/event-loop-turn.js';
import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';
import { compactCopy } from './compact-copy.js';

/** Octets; smaller chunks are merged with a small predecessor. */
const smallOctets = 2_048;
const firstRoom = 4_096;
const mostRoom = 65_536;

/**
 * Unread input as a queue of chunks. Memory stays below about twice the queued octets, whatever the
 * chunk sizes.
 */
export class PieceQueue {
  /** Mostly the only chunk. INVARIANT: null only if nothing but the tail follows. */
  #first: Buffer | null = null;
  /** Chunks after the first; null until there is one. */
  #others: Buffer[] | null = null;
  /** Last chunk if small ones were merged into it; memory of the queue, partly filled. */
  #tail: Buffer | null = null;
  #filled = 0;
  #octets = 0;

  get octets(): number {
    return this.#octets;
  }

  /** `piece` must not be changed afterwards. */
  push(piece: Buffer): void {
    this.#octets += piece.length;
    if (this.#tail !== null) {
      if (this.#fill(piece)) return;
      this.#seal();
    }
    const last = this.#others?.at(-1) ?? this.#first;
    if (last === null || last.length >= smallOctets || piece.length >= smallOctets) {
      this.#append(compactCopy(piece));
      return;
    }
    if (this.#others?.pop() === undefined) this.#first = null;
    this.#tail = Buffer.allocUnsafeSlow(firstRoom);
    this.#filled = 0;
    // INVARIANT: two small chunks fit into a new tail.
    this.#fill(last);
    this.#fill(piece);
  }

  /** Inserts at the front. */
  pushFirst(piece: Buffer): void {
    this.#octets += piece.length;
    const own = compactCopy(piece);
    if (this.#first === null) this.#seal();
    if (this.#first !== null) {
      this.#others ??= [];
      this.#others.unshift(this.#first);
    }
    this.#first = own;
  }

  /** The first chunk without removing it, or null. */
  first(): Buffer | null {
    return this.#first ?? (this.#tail === null ? null : this.#tail.subarray(0, this.#filled));
  }

  /** Removes and returns the first chunk, or null. */
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
    if (this.#tail !== null) this.#append(compactCopy(this.#tail.subarray(0, this.#filled)));
    this.#tail = null;
  }
}

/** The last text of a response, deferred to the end of the turn. */
export class DeferredResponse implements DeferredWriter {
  readonly #socket: StreamSocket;
  readonly #onWritten: () => void;
  #text: string | null = null;

  /** @param onWritten called after the deferred text was written to the socket */
  constructor(socket: StreamSocket, onWritten: () => void) {
    this.#socket = socket;
    this.#onWritten = onWritten;
  }

  get isWaiting(): boolean {
    return this.#text !== null;
  }

  /**
   * False if the text cannot be deferred and must be written now. Empty text does not replace
   * deferred text.
   */
  take(text: string): boolean {
    const socket = this.#socket;
    if (this.#text !== null || socket.writableLength > 0 || socket.destroyed) return false;
    this.#text = text;
    deferWrite(this);
    return true;
  }

  /** The connection closed. */
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
/**
 * Text and content up to this size are copied into one write; larger content is written without a
 * copy.
 */
const maxJoinedOctets = 16_384;

/** Joins related writes into one system call. */
export class CorkedWrites {
  #slab = Buffer.allocUnsafeSlow(slabOctets);
  /** Octets of the slab still used by a pending write. */
  #used = 0;

  /**
   * Writes latin1 text, octets and more latin1 text. Returns the result of `socket.write`.
   * @param written called when the kernel took all of it, or with an error
   */
  write(
    socket: StreamSocket,
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
    // INVARIANT: an empty stream buffer means that the kernel has all octets and the slab is free.
    if (socket.writableLength > 0) this.#used = start + length;
    return takesMore;
  }
}

const inParts = (
  socket: StreamSocket,
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
