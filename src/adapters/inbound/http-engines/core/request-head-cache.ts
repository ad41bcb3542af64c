import type { FieldNames } from '../../../wire/http1/field-names.js';
import { readRequestLine, requestHead } from '../../../wire/http1/read-request-head.js';
import { type RequestLines, repeatedLines } from '../../../wire/http1/request-lines.js';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** Octets of cached field lines; longer ones are not worth the memory per connection. */
const maxOctets = 8_192;
/** Short fields need many times their octets as a list. */
const maxFields = 100;
const noOctets = Buffer.alloc(0);
/** Unsuccessful cache attempts per connection. Ever-changing fields indicate a proxy. */
const maxTries = 8;

/** Whether a head has no body and no connection options, like a head without fields. */
const saysNothing = (): boolean =>
  requestHead.minorVersion === 1 &&
  requestHead.contentLength < 0 &&
  !requestHead.isChunked &&
  !requestHead.saysClose &&
  !requestHead.saysUpgrade &&
  !requestHead.hasUpgrade &&
  !requestHead.expectsContinue;

/**
 * Caches the field lines of a connection: most clients repeat them. A byte comparison replaces the
 * second parse. INVARIANT: only lines without framing and connection fields are cached, so
 * `requestHead` of the request line alone describes the whole head. Framing is always parsed.
 * Nothing is shared between connections, so timing reveals nothing about other clients.
 */
export class RequestHeadCache {
  #lines: RequestLines | null = null;
  /** Octets of the cached lines, to the end of the head. */
  #text = noOctets;
  /** Length of the last field lines, in octets. */
  #octets = 0;
  #tries = maxTries;

  /**
   * The cached lines if `octets` hold exactly them, else null. With lines, `requestHead` describes
   * that head.
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
   * Records a parsed head. Its lines are cached if the previous head had the same length.
   * @param names source of its field names
   */
  note(lines: RequestLines, names: FieldNames): void {
    const { octets, fields } = lines;
    const comesAgain = octets === this.#octets;
    this.#octets = octets;
    if (this.#tries === 0) this.forget();
    if (!comesAgain || this.#tries === 0 || octets > maxOctets || !saysNothing()) return;
    if (fields.length > maxFields * 2) return;
    // Same lines with another request line: keep them with everything derived from them.
    if (this.#lines !== null && this.#lines.text === lines.text.slice(lines.start)) return;
    this.#tries -= 1;
    this.#lines = repeatedLines(lines, names);
    const { text } = this.#lines;
    this.#text = Buffer.allocUnsafeSlow(text.length);
    this.#text.write(text, 'latin1');
  }

  /** Drops the cache. */
  forget(): void {
    this.#lines = null;
    this.#text = noOctets;
  }
}
