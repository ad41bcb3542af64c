import type { Socket } from 'node:net';
import { standOf } from '../connections/drained.js';

/** Whether a client takes what is written to it, for a connection that has one deadline for all that it waits for. */
export class WriteProgress {
  /** When it is to be looked at, by the monotonic clock; Infinity: nothing is waited for. */
  dueMs = Number.POSITIVE_INFINITY;
  readonly #socket: Socket;
  /** How far the writing was when it was looked at last. */
  #stand = '';
  #drained: Promise<void> | null = null;
  #resolve: (() => void) | null = null;
  #isListening = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Resolves when the socket takes more, or with `end`. Looked at for the first time at that moment. */
  drained(dueMs: number): Promise<void> {
    if (this.#drained !== null) return this.#drained;
    if (!this.#isListening) {
      this.#isListening = true;
      this.#socket.on('drain', () => {
        if (this.#drained !== null) this.end();
      });
    }
    this.#stand = standOf(this.#socket);
    this.dueMs = dueMs;
    this.#drained = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#drained;
  }

  /**
   * Waits until all is written. Where it stands then is looked at from that moment on: most need not be looked at.
   *
   * @param told called when all has gone out; null: whoever wrote it is told
   */
  flush(dueMs: number, told: (() => void) | null): void {
    this.end();
    this.#stand = '';
    this.dueMs = dueMs;
    // What has no octets has gone out when all before it has.
    if (told !== null && !this.#socket.destroyed) this.#socket.write('', 'latin1', told);
  }

  /** Whether the client has taken something since the last look. */
  look(nextDueMs: number): boolean {
    const stand = standOf(this.#socket);
    const isMoving = stand !== this.#stand;
    this.#stand = stand;
    this.dueMs = nextDueMs;
    return isMoving;
  }

  /** Nothing is waited for any more. */
  end(): void {
    const resolve = this.#resolve;
    this.dueMs = Number.POSITIVE_INFINITY;
    this.#drained = null;
    this.#resolve = null;
    resolve?.();
  }
}
