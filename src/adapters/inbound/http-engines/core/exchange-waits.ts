import { type StreamSocket, standOf } from '../../../stream-sockets/stream-socket.js';
import type { ConnectionDeadline } from './deadlines.js';

/** Detects whether a client reads its response. The owner checks it at one shared deadline. */
class WriteProgress {
  /** Next check, monotonic clock; Infinity if nothing is pending. */
  dueMs = Number.POSITIVE_INFINITY;
  readonly #socket: StreamSocket;
  /** Write progress at the last check. */
  #stand = '';
  #drained: Promise<void> | null = null;
  #resolve: (() => void) | null = null;
  #isListening = false;

  constructor(socket: StreamSocket) {
    this.#socket = socket;
  }

  /** Resolves when the socket accepts more, or on `end`. The first check is at `dueMs`. */
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
   * Waits until all is written. Progress is compared from `dueMs` on.
   * @param told called when all is written; null if the writer gets its own callback
   */
  flush(dueMs: number, told: (() => void) | null): void {
    this.end();
    this.#stand = '';
    this.dueMs = dueMs;
    // An empty write completes when all writes before it have.
    if (told !== null && !this.#socket.destroyed) this.#socket.write('', 'latin1', told);
  }

  /** Whether the client read something since the last check. */
  look(nextDueMs: number): boolean {
    const stand = standOf(this.#socket);
    const isMoving = stand !== this.#stand;
    this.#stand = stand;
    this.dueMs = nextDueMs;
    return isMoving;
  }

  end(): void {
    const resolve = this.#resolve;
    this.dueMs = Number.POSITIVE_INFINITY;
    this.#drained = null;
    this.#resolve = null;
    resolve?.();
  }
}

/**
 * Client waits of an exchange, on the deadline of its connection: request body and response
 * progress.
 */
export class ExchangeWaits {
  readonly #deadline: ConnectionDeadline;
  readonly #writing: WriteProgress;
  /** Deadline of the body reader; Infinity without one. */
  #bodyDueMs = Number.POSITIVE_INFINITY;
  /** An exchange is active; otherwise the deadline serves another purpose. */
  #isOn = false;

  constructor(socket: StreamSocket, deadline: ConnectionDeadline) {
    this.#deadline = deadline;
    this.#writing = new WriteProgress(socket);
  }

  begin(): void {
    this.#isOn = true;
    this.#deadline.clear();
  }

  end(): void {
    this.#isOn = false;
    this.#bodyDueMs = Number.POSITIVE_INFINITY;
    this.#writing.end();
  }

  /** Infinity ends the wait. */
  awaitBody(dueMs: number): void {
    this.#bodyDueMs = dueMs;
    this.#arm();
  }

  /**
   * Resolves when the socket accepts more or the exchange ends. The client must keep reading
   * meanwhile.
   */
  drained(dueMs: number): Promise<void> {
    const drained = this.#writing.drained(dueMs);
    this.#arm();
    return drained;
  }

  /** The whole response was written. `told`: see `WriteProgress`. */
  flush(dueMs: number, told: (() => void) | null): void {
    this.#writing.flush(dueMs, told);
    this.#arm();
  }

  /** Whether the client reads nothing. `nextDueMs` is the next check. */
  isStuck(nowMs: number, nextDueMs: number): boolean {
    const isStuck = this.#writing.dueMs <= nowMs && !this.#writing.look(nextDueMs);
    this.#arm();
    return isStuck;
  }

  /** Whether the body wait timed out; it ends then. */
  isBodyLate(nowMs: number): boolean {
    const isLate = this.#bodyDueMs <= nowMs;
    if (isLate) this.awaitBody(Number.POSITIVE_INFINITY);
    return isLate;
  }

  /** Sets the deadline to the earliest event. */
  #arm(): void {
    if (!this.#isOn) return;
    const dueMs = Math.min(this.#bodyDueMs, this.#writing.dueMs);
    if (dueMs === Number.POSITIVE_INFINITY) this.#deadline.clear();
    else this.#deadline.set(dueMs);
  }
}
