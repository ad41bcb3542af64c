import { goOnLate, goOnNoMore, handleLate, type LateReader } from '../../../event-loop-batching/deferred-reads.js';

/** Requests of a connection that begin at a time: however many it has pipelined, others have their turn before it goes on. */
const mostAtATime = 16;

/** When what has come on a connection that awaits a request is handled: at the end of the turn, or, where it is much, in several. */
export class RequestTurns implements LateReader {
  readonly #handle: (octets: Buffer) => void;
  readonly #end: () => void;
  #octets: Buffer | null = null;
  /** Requests that have begun in this turn. */
  #begun = 0;
  /** The client sends nothing behind what waits. */
  #isEndAhead = false;

  /** @param end the client sends no more, and all that it has sent was handled */
  constructor(handle: (octets: Buffer) => void, end: () => void) {
    this.#handle = handle;
    this.#end = end;
  }

  /** Something is to be handled that comes before anything new. */
  get isWaiting(): boolean {
    return this.#octets !== null;
  }

  /** INVARIANT: nothing waits. */
  wait(octets: Buffer): void {
    this.#octets = octets;
    handleLate(this);
  }

  /** A request has begun. */
  noteBegun(): void {
    this.#begun += 1;
  }

  /** What is to be handled next, given back where that may be now; else it waits until others have had their turn. */
  take(octets: Buffer | null): Buffer | null {
    if (octets === null || this.#begun < mostAtATime) return octets;
    this.#octets = octets;
    goOnLate(this);
    return null;
  }

  /** The client has ended its side. False: something waits that came before, and `end` is called behind it. */
  mayEnd(): boolean {
    this.#isEndAhead = this.isWaiting;
    return !this.#isEndAhead;
  }

  /** The connection has closed. */
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
