import type { Socket } from 'node:net';
import { type LateWriter, writeLate } from '../../../event-loop-batching/deferred-writes.js';

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
