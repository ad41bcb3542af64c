import type { Socket } from 'node:net';

/** Called when the octets are accepted, or with the error. */
export type WriteCallback = (error?: Error | null) => void;

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
  #callbacks: WriteCallback[] = [];
  #octets = 0;
  #isGathering = false;
  #hasEnded = false;
  /** Callbacks that wait for room. */
  #waiting: WriteCallback[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('drain', () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const onWritten of waiting) onWritten(null);
    });
  }

  /** Starts a batch: added octets wait until `send`. */
  gather(): void {
    this.#isGathering = true;
  }

  /** Returns false if the socket is full; `onWritten` is then called when it has room. */
  add(octets: Uint8Array, onWritten: WriteCallback): boolean {
    this.#pieces.push(octets);
    this.#callbacks.push(onWritten);
    this.#octets += octets.length;
    return this.#isGathering || this.send();
  }

  /** Returns what `add` returns. */
  send(): boolean {
    this.#isGathering = false;
    const pieces = this.#pieces;
    if (pieces.length === 0) return true;
    const octets = this.#octets;
    const callbacks = this.#callbacks;
    this.#pieces = [];
    this.#callbacks = [];
    this.#octets = 0;
    if (this.#hasEnded || this.#write(pieces, octets)) {
      for (const onWritten of callbacks) onWritten(null);
      return true;
    }
    this.#waiting.push(...callbacks);
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
