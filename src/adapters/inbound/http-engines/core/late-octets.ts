import { handleLate, type LateReader } from '../../../loop-turn/late-reads.js';

/** What has come on a connection that had nothing to do, which waits for the end of the turn. */
export class LateOctets implements LateReader {
  readonly #handle: (octets: Buffer) => void;
  #octets: Buffer | null = null;

  constructor(handle: (octets: Buffer) => void) {
    this.#handle = handle;
  }

  get isWaiting(): boolean {
    return this.#octets !== null;
  }

  /** INVARIANT: nothing waits. */
  wait(octets: Buffer): void {
    this.#octets = octets;
    handleLate(this);
  }

  /** The connection has closed. */
  drop(): void {
    this.#octets = null;
  }

  /** What comes next is to be handled behind it. */
  handleNow(): void {
    const octets = this.#octets;
    this.#octets = null;
    if (octets !== null) this.#handle(octets);
  }
}
