import { HeadBuffer } from '../../../wire/http1/head-buffer.js';
import { faultyHead, type HeadReading, incompleteHead } from '../../../wire/http1/head-fault.js';
import { readRequestHead, requestHead } from '../../../wire/http1/read-request-head.js';
import type { RequestLines } from '../../../wire/http1/request-lines.js';
import type { ReadAheadBudget } from '../connections/read-ahead.js';
import { RequestHeadCache } from './request-head-cache.js';

const carriageReturn = 0x0d;
/** Octets of a head that is not unusual: more is held only as long as all connections together hold little. */
const usualOctets = 16_384;

/** The heads of the requests of a connection, out of the octets that come. */
export class RequestHeads {
  /** The head that was read last, from its first octet on, one character for each; of one whose fields are known, the request line. */
  text = '';
  /** Its field lines, where they came before. */
  known: RequestLines | null = null;
  readonly repeated = new RequestHeadCache();
  /** What came behind it; null: nothing. */
  rest: Buffer | null = null;
  readonly #maxOctets: number;
  /** The beginning of a head whose rest has not come; null in most cases: heads come whole. */
  #held: HeadBuffer | null = null;
  readonly #budget: ReadAheadBudget;
  /** What is held has taken of the budget. */
  #charged = 0;

  constructor(maxOctets: number, budget: ReadAheadBudget) {
    this.#maxOctets = maxOctets;
    this.#budget = budget;
  }

  /** Something of a head has come, and not all of it. Empty lines before it are none of it (RFC 9112, section 2.2). */
  get hasBegun(): boolean {
    const held = this.#held;
    return held !== null && held.length > 0 && held.octets[0] !== carriageReturn;
  }

  /** Nothing is read any more. */
  end(): void {
    this.#held = null;
    this.#charge(0);
  }

  /** What was read last is of no use any more. */
  forget(): void {
    this.text = '';
    this.known = null;
    this.rest = null;
  }

  /** Reads on; what is behind a head is left to be given again. With a reading above 0, `requestHead` is of this head. */
  read(octets: Buffer): HeadReading {
    if (this.#held !== null) return this.#readOn(this.#held, octets);
    const known = this.repeated.recall(octets, this.#maxOctets);
    if (known !== null) {
      this.text = octets.toString('latin1', 0, octets.length - known.text.length);
      this.known = known;
      return octets.length;
    }
    const reading = readRequestHead(octets, 0, octets.length, this.#maxOctets);
    const start = requestHead.emptyOctets;
    if (reading > 0) {
      this.text = octets.toString('latin1', start, reading);
      this.rest = reading === octets.length ? null : octets.subarray(reading);
    } else if (reading === incompleteHead && start < octets.length) {
      const held = new HeadBuffer();
      held.add(octets, start, octets.length);
      held.noteRead();
      this.#held = held;
      return this.#hold(held);
    }
    return reading;
  }

  /** Refuses what is too much for all connections together. */
  #hold(held: HeadBuffer): HeadReading {
    this.#charge(held.room - usualOctets);
    if (held.length <= usualOctets || this.#budget.leftForHeads >= 0) return incompleteHead;
    this.end();
    return faultyHead('head_too_large');
  }

  #charge(octets: number): void {
    const charged = Math.max(0, octets);
    this.#budget.leftForHeads -= charged - this.#charged;
    this.#charged = charged;
  }

  #readOn(held: HeadBuffer, octets: Buffer): HeadReading {
    held.add(octets, 0, octets.length);
    if (!held.isDue && held.length < this.#maxOctets) return this.#hold(held);
    const reading = readRequestHead(held.octets, 0, held.length, this.#maxOctets);
    if (reading === incompleteHead) {
      return this.#keep(held, requestHead.emptyOctets);
    }
    this.end();
    if (reading > 0) {
      const all = Buffer.from(held.octets.buffer, held.octets.byteOffset, held.length);
      this.text = all.toString('latin1', requestHead.emptyOctets, reading);
      this.rest = reading === all.length ? null : all.subarray(reading);
    }
    return reading;
  }

  /** Lets go of empty lines: however many come, nothing grows. */
  #keep(held: HeadBuffer, emptyOctets: number): HeadReading {
    if (emptyOctets === held.length) {
      this.end();
      return incompleteHead;
    }
    held.drop(emptyOctets);
    held.noteRead();
    return this.#hold(held);
  }
}
