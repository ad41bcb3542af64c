import { HeadBuffer } from '../../../wire/http1/head-buffer.js';
import { type HeadReading, incomplete } from '../../../wire/http1/head-fault.js';
import { readRequestHead, requestHead } from '../../../wire/http1/read-request-head.js';

const carriageReturn = 0x0d;

/** The heads of the requests of a connection, out of the octets that come. */
export class RequestHeads {
  /** The head that was read last, from its first octet on, one character for each. */
  text = '';
  /** What came behind it; null: nothing. */
  rest: Buffer | null = null;
  readonly #maxOctets: number;
  /** The beginning of a head whose rest has not come; null in most cases: heads come whole. */
  #held: HeadBuffer | null = null;

  constructor(maxOctets: number) {
    this.#maxOctets = maxOctets;
  }

  /** Something of a head has come, and not all of it. Empty lines before it are none of it (RFC 9112, section 2.2). */
  get hasBegun(): boolean {
    const held = this.#held;
    return held !== null && held.length > 0 && held.octets[0] !== carriageReturn;
  }

  /** What was read last is of no use any more. */
  forget(): void {
    this.text = '';
    this.rest = null;
  }

  /** Reads on; what is behind a head is left to be given again. With a reading above 0, `requestHead` is of this head. */
  read(octets: Buffer): HeadReading {
    if (this.#held !== null) return this.#readOn(this.#held, octets);
    const reading = readRequestHead(octets, 0, octets.length, this.#maxOctets);
    const start = requestHead.emptyOctets;
    if (reading > 0) {
      this.text = octets.toString('latin1', start, reading);
      this.rest = reading === octets.length ? null : octets.subarray(reading);
    } else if (reading === incomplete && start < octets.length) {
      this.#held = new HeadBuffer();
      this.#held.add(octets, start, octets.length);
      this.#held.noteRead();
    }
    return reading;
  }

  #readOn(held: HeadBuffer, octets: Buffer): HeadReading {
    held.add(octets, 0, octets.length);
    if (!held.isDue && held.length < this.#maxOctets) return incomplete;
    const reading = readRequestHead(held.octets, 0, held.length, this.#maxOctets);
    if (reading === incomplete) {
      this.#keep(held, requestHead.emptyOctets);
      return incomplete;
    }
    this.#held = null;
    if (reading > 0) {
      const all = Buffer.from(held.octets.buffer, held.octets.byteOffset, held.length);
      this.text = all.toString('latin1', requestHead.emptyOctets, reading);
      this.rest = reading === all.length ? null : all.subarray(reading);
    }
    return reading;
  }

  /** Lets go of empty lines: however many come, nothing grows. */
  #keep(held: HeadBuffer, emptyOctets: number): void {
    if (emptyOctets === held.length) {
      this.#held = null;
      return;
    }
    held.drop(emptyOctets);
    held.noteRead();
  }
}
