import { spanSize } from '../../../wire/http1/message-head.js';
import { type ResponseFacts, type ResponseHead, responseHead } from '../../../wire/http1/read-response-head.js';
import { ResponseLines } from '../../../wire/http1-responses/response-lines.js';
import { bufferOf } from './octet-copies.js';

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** Longest cached head. */
const maxOctets = 4_096;
/** Most fields of a cached head: short ones take many times their octets as a list. */
const maxFields = 100;
/** Consecutive misses after which the entry is dropped. */
const maxMisses = 64;
/** Credit for caching before it pays off, in units of about 100 ns. */
const maxCredit = 32;
const costOfOctets = 1;
const costOfLines = 4;
const gainOfRecall = 2;
/** Responses without caching after it did not pay off. */
const restResponses = 1_024;

/** Fields specific to one client; such heads do not repeat. */
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

/** A repeated head with its parse result. */
export class KnownResponse implements ResponseFacts {
  /** The whole head with its empty line. */
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

/** Whether the head is worth caching: reusable connection, no upgrade, no client-specific field. */
const mayComeAgain = (text: string, length: number): boolean =>
  length <= maxOctets &&
  responseHead.fieldCount <= maxFields &&
  responseHead.isPersistent &&
  responseHead.minorVersion === 1 &&
  responseHead.status !== 101 &&
  !isForOne(text, responseHead);

/**
 * Caches the repeated response head of a target: to the same question most servers send the same
 * head within one clock second. A byte comparison replaces the parse. INVARIANT: a parse depends
 * only on the octets of the head, to its empty line; equal octets mean an equal head. Body framing
 * also depends on the request and is not cached.
 */
export class ResponseHeadCache {
  #known: KnownResponse | null = null;
  /** A head seen once, the candidate for the cache. */
  #candidate: Buffer | null = null;
  /** Length of the last head, in octets. */
  #lastLength = 0;
  #misses = 0;
  #credit = maxCredit;
  #rest = 0;

  /** The cached head if the range starts with it; null if it must be parsed. */
  recall(octets: Buffer, start: number, end: number): KnownResponse | null {
    const known = this.#known;
    if (known === null) return null;
    const expected = known.octets;
    const { length } = expected;
    const behind = start + length;
    const mayBeSame =
      behind <= end &&
      // Cheap check first: most other heads do not end at this place.
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
   * Records the last parsed head. Its octets are stored if the previous head had the same length,
   * its parse when they repeat.
   * @param octets the head and more
   * @param text the same, one character per octet
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
      // INVARIANT: own memory, because the read buffer is reused.
      const own = Buffer.allocUnsafeSlow(length);
      head.copy(own, 0, start, start + length);
      this.#candidate = own;
    }
  }

  /** Whether credit is left; otherwise the cache pauses. */
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
