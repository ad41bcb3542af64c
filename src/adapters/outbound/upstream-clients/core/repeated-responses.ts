import { type ResponseFacts, responseHead } from '../../../wire/http1/read-response-head.js';
import { ResponseLines } from '../../../wire/http1-responses/response-lines.js';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** Octets of a head; a longer one is not worth the memory. */
const maxOctets = 4_096;
/** How often a head is remembered that does not come again before that is given up for a while; each that does gives one back. */
const maxTries = 8;
/** Responses until it is tried again. */
const restResponses = 1_024;
/** So many other heads in a row, and the one that is remembered is let go. */
const maxMisses = 64;

/** What fields of these names say is for one client, and does not come again. */
const namesForOne: ReadonlySet<string> = new Set([
  'authentication-info',
  'authorization',
  'location',
  'proxy-authenticate',
  'set-cookie',
  'www-authenticate',
]);

/** A head that has come more than once, and what was read in it. */
export class KnownResponse implements ResponseFacts {
  /** All of it, to the end of its empty line. */
  readonly octets: Buffer;
  readonly lines: ResponseLines;
  readonly status: number;
  readonly contentLength: number;
  readonly isChunked: boolean;

  constructor(octets: Buffer, lines: ResponseLines, { status, contentLength, isChunked }: ResponseFacts) {
    this.octets = octets;
    this.lines = lines;
    this.status = status;
    this.contentLength = contentLength;
    this.isChunked = isChunked;
  }
}

/** Whether another response may follow, and the connection stays one of HTTP. */
const isOrdinary = (): boolean =>
  responseHead.isPersistent && responseHead.minorVersion === 1 && responseHead.status !== 101;

/**
 * The head that the responses of a target come with again and again: to the same question most servers say the same, for as long
 * as their clock shows the same second. It is compared octet by octet, and read no second time.
 *
 * INVARIANT: what a head says depends on nothing but its octets, to the empty line that ends it; so whatever begins with the very
 * same octets begins with the very same head. How a body is framed depends on the request, too, and is not remembered.
 */
export class RepeatedResponses {
  #known: KnownResponse | null = null;
  /** Octets of the head that came last. */
  #octets = 0;
  #tries = maxTries;
  #misses = 0;
  #rest = 0;

  /** The head that the octets between two places begin with; null where it is another one than is remembered. */
  recall(octets: Buffer, start: number, end: number): KnownResponse | null {
    const known = this.#known;
    if (known === null) return null;
    const expected = known.octets;
    const { length } = expected;
    const behind = start + length;
    const mayBeSame =
      behind <= end &&
      // Where one of them ends, most others do not.
      octets[behind - 1] === lineFeed &&
      octets[behind - 2] === carriageReturn &&
      octets[behind - 3] === lineFeed;
    if (!mayBeSame || octets.compare(expected, 0, length, start, behind) !== 0) {
      this.#misses += 1;
      if (this.#misses === maxMisses) this.#known = null;
      return null;
    }
    this.#octets = length;
    this.#misses = 0;
    if (this.#tries < maxTries) this.#tries += 1;
    return known;
  }

  /**
   * Takes note of the head that was read last. It is remembered when the one before was as long.
   *
   * @param octets those of it, and more
   * @param text the same, one character for each octet
   * @param length octets of the head
   */
  note(octets: Uint8Array, start: number, text: string, length: number): void {
    if (this.#rest > 0) {
      this.#rest -= 1;
      return;
    }
    const comesAgain = length === this.#octets;
    this.#octets = length;
    if (!comesAgain || length > maxOctets || !isOrdinary()) return;
    if (this.#tries === 0) {
      this.#tries = maxTries;
      this.#rest = restResponses;
      this.#known = null;
      return;
    }
    this.#tries -= 1;
    const lines = ResponseLines.kept(text, responseHead, length);
    if (lines.fields.some((name, at) => (at & 1) === 0 && namesForOne.has(name.toLowerCase()))) return;
    // INVARIANT: memory of its own. The buffer that is read into has other octets soon.
    const own = Buffer.allocUnsafeSlow(length);
    own.set(octets.subarray(start, start + length));
    this.#known = new KnownResponse(own, lines, responseHead);
    this.#misses = 0;
  }
}
