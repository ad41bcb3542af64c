import type { Socket } from 'node:net';
import type { ClientConnection } from '../../../../application/ports/http-exchange.js';
import { clientConnection } from '../connections/client-connection.js';
import type { ConnectionOrigin } from '../connections/connection-origin.js';
import { IdleClock } from './idle-clock.js';
import type { IncomingBody } from './incoming-body.js';
import { onMessageBegin } from './on-message-begin.js';

/** Pipelined requests that may wait behind the one that is being answered; nobody sends that many in good faith. */
const maxWaiting = 64;

/** A request with a body, and whether its answer has been given whole. */
export interface Upload {
  readonly body: IncomingBody;
  readonly answer: { readonly isGiven: boolean };
}

/**
 * A connection, whose requests are answered one after the other: Node would hand over every request of a packet at once,
 * and has a socket for the first of them only.
 */
export class ClientSession {
  readonly client: ClientConnection;
  /** What is being answered, where it has a body. Let go of with its end: connections are idle for most of their time. */
  upload: Upload | null = null;
  readonly #socket: Socket;
  readonly #waiting: (() => void)[] = [];
  readonly #idle: IdleClock;
  readonly #idleMs: () => number;
  #isBusy = false;
  /** Of the next request something has come, and not yet its whole head. */
  #hasBegun = false;
  #isClosing = false;
  #isHandedOver = false;
  #isRetired = false;

  /** `idleMs`: how long it may be idle after a response that ends now. */
  constructor(socket: Socket, listener: string, origin: ConnectionOrigin, idleMs: () => number) {
    this.#socket = socket;
    this.#idleMs = idleMs;
    this.#idle = new IdleClock(socket);
    onMessageBegin(socket, () => {
      this.#hasBegun = true;
      this.#idle.stop();
    });
    this.client = clientConnection(socket, listener, origin);
  }

  /** A request is being answered. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Nothing of a request has come since that moment that is not answered, to its last octet. */
  hasBeenIdleSince(momentMs: number): boolean {
    return !this.#isBusy && !this.#hasBegun && !this.#isHandedOver && this.#idle.startedMs <= momentMs;
  }

  /** The connection ends after the response that is under way. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Answers a request when its turn comes; `over` has to be called once when its response has ended. */
  take(answer: () => void): void {
    this.#hasBegun = false;
    this.#idle.stop();
    // What comes behind the last response is never begun.
    if (this.#isClosing) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#socket.destroy();
    } else if (this.#isBusy) {
      this.#waiting.push(answer);
    } else {
      this.#begin(answer);
    }
  }

  over(): void {
    this.#isBusy = false;
    this.upload = null;
    // What waits behind a connection that has ended was never begun: there is nothing to end.
    if (this.#isClosing || this.#socket.destroyed) this.#waiting.splice(0);
    const next = this.#waiting.shift();
    if (next) this.#begin(next);
    else if (this.#isClosing) this.#socket.destroySoon();
    // The time of a head that is on its way is Node's to watch.
    else if (!this.#hasBegun && !this.#socket.destroyed) this.#idle.start(this.#idleMs());
  }

  #begin(answer: () => void): void {
    this.#isBusy = true;
    answer();
  }

  /** Nothing more can be read of this connection: what is under way is answered, what waits behind it is not. */
  closeAfterResponse(): void {
    this.#isClosing = true;
    this.#waiting.splice(0);
  }

  /** The connection has left HTTP, or is about to: it is a tunnel, or the answer to the wish for one ends it. */
  handOver(): void {
    this.#isHandedOver = true;
  }

  /**
   * The client would not be let in any more as it was when it came. Ends the connection: a tunnel and an idle one at once,
   * any other after the response that is under way, at the latest after the grace.
   */
  retire(graceMs: number): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    if (this.#isHandedOver) {
      this.#socket.destroy();
      return;
    }
    this.closeAfterResponse();
    if (!this.#isBusy) this.#socket.destroySoon();
    const cut = setTimeout(() => this.#socket.destroy(), graceMs);
    this.#socket.once('close', () => clearTimeout(cut));
  }
}
