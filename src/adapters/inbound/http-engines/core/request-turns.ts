import { goOnLate, goOnNoMore, handleLate, type LateReader } from '../../../event-loop-batching/deferred-reads.js';

/** Pipelined requests started per turn; other connections run before the next ones. */
const mostAtATime = 16;

/**
 * Schedules input of a connection that awaits a request: at the end of the turn, or over several
 * turns if it is much.
 */
export class RequestTurns implements LateReader {
  readonly #handle: (octets: Buffer) => void;
  readonly #end: () => void;
  #octets: Buffer | null = null;
  /** Requests started in this turn. */
  #begun = 0;
  /** The client half-closed behind the queued input. */
  #isEndAhead = false;

  /** @param end called when the client half-closed and all input is handled */
  constructor(handle: (octets: Buffer) => void, end: () => void) {
    this.#handle = handle;
    this.#end = end;
  }

  /** Queued input precedes new input. */
  get isWaiting(): boolean {
    return this.#octets !== null;
  }

  /** INVARIANT: the queue is empty. */
  wait(octets: Buffer): void {
    this.#octets = octets;
    handleLate(this);
  }

  noteBegun(): void {
    this.#begun += 1;
  }

  /** Returns input to handle now; otherwise queues it behind other connections. */
  take(octets: Buffer | null): Buffer | null {
    if (octets === null || this.#begun < mostAtATime) return octets;
    this.#octets = octets;
    goOnLate(this);
    return null;
  }

  /** The client half-closed. False if input is queued; `end` follows after it. */
  mayEnd(): boolean {
    this.#isEndAhead = this.isWaiting;
    return !this.#isEndAhead;
  }

  /** The connection closed. */
  drop(): void {
    if (this.isWaiting) goOnNoMore(this);
    this.#octets = null;
    this.#isEndAhead = false;
  }

  handleNow(): void {
    const octets = this.#octets;
    if (octets === null) return;
    this.#octets = null;
    this.#begun = 0;
    this.#handle(octets);
    if (this.#isEndAhead && !this.isWaiting) this.#end();
  }
}
