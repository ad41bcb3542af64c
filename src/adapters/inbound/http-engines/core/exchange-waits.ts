import type { Socket } from 'node:net';
import { standOf } from '../connections/drained.js';
import type { ConnectionDeadline } from './deadlines.js';

/** Whether a client takes what is written to it, for a connection that has one deadline for all that it waits for. */
class WriteProgress {
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

/** What an exchange waits for the client for, by the deadline of its connection: its body, and that it takes the response. */
export class ExchangeWaits {
  readonly #deadline: ConnectionDeadline;
  readonly #writing: WriteProgress;
  /** Until when the client is waited for by whoever reads the body; Infinity: nobody waits. */
  #bodyDueMs = Number.POSITIVE_INFINITY;
  /** There is an exchange: else the deadline is for something else. */
  #isOn = false;

  constructor(socket: Socket, deadline: ConnectionDeadline) {
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

  /** Infinity: it is awaited no more. */
  awaitBody(dueMs: number): void {
    this.#bodyDueMs = dueMs;
    this.#arm();
  }

  /** Resolves when the socket takes more, or with the exchange; the client has to take something until then, and ever again. */
  drained(dueMs: number): Promise<void> {
    const drained = this.#writing.drained(dueMs);
    this.#arm();
    return drained;
  }

  /** All of the response was written. `told`: see `WriteProgress`. */
  flush(dueMs: number, told: (() => void) | null): void {
    this.#writing.flush(dueMs, told);
    this.#arm();
  }

  /** Whether the client takes nothing. `nextDueMs`: when it is looked at again. */
  isStuck(nowMs: number, nextDueMs: number): boolean {
    const isStuck = this.#writing.dueMs <= nowMs && !this.#writing.look(nextDueMs);
    this.#arm();
    return isStuck;
  }

  /** Whether the body has been waited for as long as it may be: then it is so no more. */
  isBodyLate(nowMs: number): boolean {
    const isLate = this.#bodyDueMs <= nowMs;
    if (isLate) this.awaitBody(Number.POSITIVE_INFINITY);
    return isLate;
  }

  /** Sets the deadline to what is due first. */
  #arm(): void {
    if (!this.#isOn) return;
    const dueMs = Math.min(this.#bodyDueMs, this.#writing.dueMs);
    if (dueMs === Number.POSITIVE_INFINITY) this.#deadline.clear();
    else this.#deadline.set(dueMs);
  }
}
