import type { Socket } from 'node:net';
import type { ClientConnection } from '../../../application/ports/http-exchange.js';

/** Pipelined requests that may wait behind the one that is being answered; nobody sends that many in good faith. */
const maxWaiting = 64;

/**
 * A connection, whose requests are answered one after the other: Node would hand over every request of a packet at once,
 * and has a socket for the first of them only.
 */
export class ClientSession {
  readonly client: ClientConnection;
  readonly #socket: Socket;
  readonly #waiting: (() => void)[] = [];
  #isBusy = false;
  #isClosing = false;

  constructor(socket: Socket, listener: string) {
    this.#socket = socket;
    this.client = {
      listener,
      peerAddress: socket.remoteAddress ?? '',
      peerPort: socket.remotePort ?? 0,
      localPort: socket.localPort ?? 0,
      scheme: 'http',
    };
  }

  /** A request is being answered. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** The connection ends after the response that is under way. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Answers a request when its turn comes; `over` has to be called once when its response has ended. */
  take(answer: () => void): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#socket.destroy();
    } else if (this.#isBusy) {
      this.#waiting.push(answer);
    } else {
      this.#isBusy = true;
      answer();
    }
  }

  over(): void {
    this.#isBusy = false;
    // What waits behind a connection that has ended was never begun: there is nothing to end.
    if (this.#isClosing || this.#socket.destroyed) this.#waiting.splice(0);
    const next = this.#waiting.shift();
    if (next) this.take(next);
    else if (this.#isClosing) this.#socket.destroySoon();
  }

  /** Nothing more can be read of this connection: what is under way is answered, what waits behind it is not. */
  closeAfterResponse(): void {
    this.#isClosing = true;
    this.#waiting.splice(0);
  }
}
