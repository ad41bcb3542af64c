import type { Socket } from 'node:net';

/** Is told that octets have been taken, or why not. */
export type Written = (error?: Error | null) => void;

/** Octets up to which a batch is copied into one piece: for the system, many small ones cost more than that. */
const maxCopied = 16_384;

/**
 * What is to be written on a socket, a batch at a time. A batch that the socket has room for is taken at once: to wait until
 * the system has it would cost a small answer more than its writing. One that it has no room for is taken once there is
 * some, and never where the socket breaks first: whoever writes hears of that from the socket.
 */
export class GatheredWrites {
  readonly #socket: Socket;
  #pieces: Uint8Array[] = [];
  #told: Written[] = [];
  #octets = 0;
  #isGathering = false;
  #hasEnded = false;
  /** Who waits for room. */
  #waiting: Written[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('drain', () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const told of waiting) told(null);
    });
  }

  /** Until `send`, what is added waits for the rest of its batch. */
  gather(): void {
    this.#isGathering = true;
  }

  /** False where the socket has no room for it: `told` is called once it has. */
  add(octets: Uint8Array, told: Written): boolean {
    this.#pieces.push(octets);
    this.#told.push(told);
    this.#octets += octets.length;
    return this.#isGathering || this.send();
  }

  /** As `add` does. */
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

  /** What comes from now on is not written: an error of the socket would cut off what was written before its end. */
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
