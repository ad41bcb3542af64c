import type { Socket } from 'node:net';

/** Called when the octets are accepted, or with the error. */
export type Written = (error?: Error | null) => void;

/** Batches up to this size are copied into one buffer; many small writes cost more. */
const maxCopied = 16_384;

/**
 * Writes batches to a socket. A batch that fits is acknowledged at once, since waiting for the
 * kernel would cost a small response more than its write. Otherwise it is acknowledged when room is
 * free, and never if the socket breaks first; the socket reports that.
 */
export class GatheredWrites {
  readonly #socket: Socket;
  #pieces: Uint8Array[] = [];
  #told: Written[] = [];
  #octets = 0;
  #isGathering = false;
  #hasEnded = false;
  /** Callbacks that wait for room. */
  #waiting: Written[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('drain', () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const told of waiting) told(null);
    });
  }

  /** Starts a batch: added octets wait until `send`. */
  gather(): void {
    this.#isGathering = true;
  }

  /** False if the socket is full; `told` is called when it has room. */
  add(octets: Uint8Array, told: Written): boolean {
    this.#pieces.push(octets);
    this.#told.push(told);
    this.#octets += octets.length;
    return this.#isGathering || this.send();
  }

  /** Returns what `add` returns. */
  send(): boolean {
    this.#isGathering = false;
    const pieces = this.#pieces;
    if (pieces.length === 0) return true;
    const octets = this.#octets;
    const told = this.#told;
    this.#pieces = [];
    this.#told = [];
    this.#octets = 0;
    if (this.#hasEnded || this.#write(pieces, octets)) {
      for (const one of told) one(null);
      return true;
    }
    this.#waiting.push(...told);
    return false;
  }

  /** Discards later writes: a socket error would cut off data written before the end. */
  end(): void {
    this.#hasEnded = true;
  }

  #write(pieces: readonly Uint8Array[], octets: number): boolean {
    const socket = this.#socket;
    const [first] = pieces;
    if (first !== undefined && pieces.length === 1) return socket.write(first);
    if (octets <= maxCopied) return socket.write(Buffer.concat(pieces, octets));
    let hasRoom = true;
    socket.cork();
    for (const piece of pieces) hasRoom = socket.write(piece);
    socket.uncork();
    return hasRoom;
  }
}
