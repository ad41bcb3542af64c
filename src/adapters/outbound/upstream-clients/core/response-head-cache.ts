import { spanSize } from '../../../wire/http1/message-head.js';
import { type ResponseFacts, type ResponseHead, responseHead } from '../../../wire/http1/read-response-head.js';
import { ResponseLines } from '../../../wire/http1-responses/response-lines.js';
import { bufferOf } from './octet-copies.js';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** Octets of a head; a longer one is not worth the memory. */
const maxOctets = 4_096;
/** Fields in it: short ones take many times their octets as a list. */
const maxFields = 100;
/** So many other reads in a row, and what is remembered is let go. */
const maxMisses = 64;
/** What remembering may cost before it has to pay; in units of some 100 ns each. */
const maxCredit = 32;
const costOfOctets = 1;
const costOfLines = 4;
const gainOfRecall = 2;
/** Responses until it is tried again where it did not pay. */
const restResponses = 1_024;

/** What fields of these names say is for one client, and does not come again. */
const namesForOne: ReadonlySet<string> = new Set([
  'authentication-info',
  'authorization',
  'content-location',
  'location',
  'proxy-authenticate',
  'proxy-authentication-info',
  'refresh',
  'set-cookie',
  'set-cookie2',
  'www-authenticate',
]);
const lengthsForOne: ReadonlySet<number> = new Set([...namesForOne].map((name) => name.length));

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

const isForOne = (text: string, { spans, fieldCount }: ResponseHead): boolean => {
  for (let at = 0; at < fieldCount * spanSize; at += spanSize) {
    const start = spans[at] as number;
    const end = spans[at + 1] as number;
    if (lengthsForOne.has(end - start) && namesForOne.has(text.slice(start, end).toLowerCase())) return true;
  }
  return false;
};

/** Whether another response may follow, the connection stays one of HTTP, and it is worth the memory. */
const mayComeAgain = (text: string, length: number): boolean =>
  length <= maxOctets &&
  responseHead.fieldCount <= maxFields &&
  responseHead.isPersistent &&
  responseHead.minorVersion === 1 &&
  responseHead.status !== 101 &&
  !isForOne(text, responseHead);

/**
 * The head that the responses of a target come with again and again: to the same question most servers say the same, for as long
 * as their clock shows the same second. It is compared octet by octet, and read no third time.
 *
 * INVARIANT: what a head says depends on nothing but its octets, to the empty line that ends it; so whatever begins with the very
 * same octets begins with the very same head. How a body is framed depends on the request, too, and is not remembered.
 */
export class ResponseHeadCache {
  #known: KnownResponse | null = null;
  /** Octets of a head that has come once, and may take its place. */
  #candidate: Buffer | null = null;
  /** Octets of the head that came last. */
  #lastLength = 0;
  #misses = 0;
  #credit = maxCredit;
  #rest = 0;

  /** The head that the octets between two places begin with; null where it has to be read. */
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
      if (this.#misses === maxMisses) this.#know(null);
      return null;
    }
    this.#lastLength = length;
    this.#misses = 0;
    this.#credit = Math.min(maxCredit, this.#credit + gainOfRecall);
    return known;
  }

  /**
   * Takes note of the head that was read last. Its octets are remembered when the one before was as long, and what was read in it
   * when those have come again.
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
    const mayBeAgain = length === this.#lastLength;
    this.#lastLength = length;
    if (!mayBeAgain) return;
    const candidate = this.#candidate;
    const head = bufferOf(octets);
    if (candidate?.length === length && head.compare(candidate, 0, length, start, start + length) === 0) {
      if (!this.#pays(costOfLines)) return;
      this.#candidate = null;
      this.#know(new KnownResponse(candidate, ResponseLines.kept(text, responseHead, length), responseHead));
    } else if (mayComeAgain(text, length) && this.#pays(costOfOctets)) {
      // INVARIANT: memory of its own. The buffer that is read into has other octets soon.
      const own = Buffer.allocUnsafeSlow(length);
      head.copy(own, 0, start, start + length);
      this.#candidate = own;
    }
  }

  /** Whether there is credit left; else it rests. */
  #pays(cost: number): boolean {
    if (this.#credit >= cost) {
      this.#credit -= cost;
      return true;
    }
    this.#credit = maxCredit;
    this.#rest = restResponses;
    this.#candidate = null;
    this.#know(null);
    return false;
  }

  #know(known: KnownResponse | null): void {
    this.#known = known;
    this.#misses = 0;
  }
}
