import type { FieldNames } from '../../../wire/http1/field-names.js';
import { readRequestLine, requestHead } from '../../../wire/http1/read-request-head.js';
import { type RequestLines, repeatedLines } from '../../../wire/http1/request-lines.js';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** Octets of field lines; longer ones are not worth the memory, which every connection may take. */
const maxOctets = 8_192;
/** Fields in them: short ones take many times their octets as a list. */
const maxFields = 100;
const noOctets = Buffer.alloc(0);
/** How often lines are remembered that do not come again. A connection with ever others is that of a proxy. */
const maxTries = 8;

/** Whether a head says nothing of a body, and no more of its connection than a head without a field would. */
const saysNothing = (): boolean =>
  requestHead.minorVersion === 1 &&
  requestHead.contentLength < 0 &&
  !requestHead.isChunked &&
  !requestHead.saysClose &&
  !requestHead.saysUpgrade &&
  !requestHead.hasUpgrade &&
  !requestHead.expectsContinue;

/**
 * The field lines that the requests of a connection come with again and again: most clients ask with the same fields each time.
 * They are compared octet by octet, and read no second time.
 *
 * INVARIANT: only lines are remembered that frame no body and say nothing of the connection, so that `requestHead`, which is that
 * of the request line alone then, says of the head what it would say if all of it were read. What frames a body is always read.
 * Nothing is known from one connection to another: how long a comparison takes tells nobody about what came on others.
 */
export class RequestHeadCache {
  #lines: RequestLines | null = null;
  /** Their octets, to the end of the head. */
  #text = noOctets;
  /** Octets of the field lines that came last. */
  #octets = 0;
  #tries = maxTries;

  /**
   * The lines of the head that the octets are, all of them and nothing else; null where others are remembered, or none. With
   * lines, `requestHead` is of that head.
   */
  recall(octets: Buffer, maxHeadOctets: number): RequestLines | null {
    const lines = this.#lines;
    if (lines === null) return null;
    const text = this.#text;
    const end = octets.length;
    const start = end - text.length;
    if (start < 2 || octets[start - 1] !== lineFeed || octets[start - 2] !== carriageReturn) return null;
    if (end > maxHeadOctets || octets.compare(text, 0, text.length, start, end) !== 0) return null;
    if (readRequestLine(octets, end) !== start || requestHead.minorVersion !== 1) return null;
    this.#octets = lines.octets;
    this.#tries = maxTries;
    return lines;
  }

  /**
   * Takes note of a head that was read. Its lines are remembered when as many octets of them came the last time.
   *
   * @param names has given the names of its fields
   */
  note(lines: RequestLines, names: FieldNames): void {
    const { octets, fields } = lines;
    const comesAgain = octets === this.#octets;
    this.#octets = octets;
    if (this.#tries === 0) this.forget();
    if (!comesAgain || this.#tries === 0 || octets > maxOctets || !saysNothing()) return;
    if (fields.length > maxFields * 2) return;
    // They are known, and came with other requests behind them: what others have found out of them is not thrown away.
    if (this.#lines !== null && this.#lines.text === lines.text.slice(lines.start)) return;
    this.#tries -= 1;
    this.#lines = repeatedLines(lines, names);
    const { text } = this.#lines;
    this.#text = Buffer.allocUnsafeSlow(text.length);
    this.#text.write(text, 'latin1');
  }

  /** What is remembered is of no use any more. */
  forget(): void {
    this.#lines = null;
    this.#text = noOctets;
  }
}
