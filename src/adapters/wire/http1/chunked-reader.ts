import { HeadBuffer } from './head-buffer.js';
import { faultOf, type HeadFault, incompleteHead } from './head-fault.js';
import { fieldList, MessageHead } from './message-head.js';
import { carriageReturn, hexadecimalValues, lineFeed, space, tab, tokenOctets, valueOctets } from './octets.js';
import { readFields } from './read-fields.js';

/** Longest extensions of one chunk, in octets. */
const maxChunkOctets = 256;
/** Longest extensions of a body, in octets; no other limit counts them. */
const maxBodyOctets = 8_192;

const semicolon = 0x3b;
const equals = 0x3d;
const quote = 0x22;
const backslash = 0x5c;

/** Parser state: the last element read. */
type Place =
  | 'size'
  | 'semicolon'
  | 'name'
  | 'blank_behind_name'
  | 'equals'
  | 'value'
  | 'quoted'
  | 'escape'
  | 'quoted_end'
  | 'blank';

/** `end`: the CR of the line was read. */
type ExtensionStep = 'more' | 'end' | 'invalid_chunk_extension' | 'chunk_extensions_too_large';

const isBlank = (octet: number): boolean => octet === space || octet === tab;

/**
 * Next state for an octet; null if it is not allowed. A line never ends inside quotes: another
 * parser might read the CR LF as part of the value and find another chunk boundary.
 */
const next = (place: Place, octet: number): Place | 'end' | null => {
  switch (place) {
    case 'quoted':
      if (octet === quote) return 'quoted_end';
      if (octet === backslash) return 'escape';
      return valueOctets[octet] === 1 ? 'quoted' : null;
    case 'escape':
      return valueOctets[octet] === 1 ? 'quoted' : null;
    case 'semicolon':
      if (isBlank(octet)) return 'semicolon';
      return tokenOctets[octet] === 1 ? 'name' : null;
    case 'equals':
      if (isBlank(octet)) return 'equals';
      if (octet === quote) return 'quoted';
      return tokenOctets[octet] === 1 ? 'value' : null;
    default:
      return behindWord(place, octet);
  }
};

/**
 * The same where a semicolon may follow: after a size, a name, a value, or their trailing blanks.
 */
const behindWord = (
  place: 'size' | 'name' | 'blank_behind_name' | 'value' | 'quoted_end' | 'blank',
  octet: number,
): Place | 'end' | null => {
  if (octet === semicolon) return 'semicolon';
  const isOfName = place === 'name' || place === 'blank_behind_name';
  if (isBlank(octet)) return isOfName ? 'blank_behind_name' : 'blank';
  if (octet === equals && isOfName) return 'equals';
  if (tokenOctets[octet] === 1) return place === 'name' || place === 'value' ? place : null;
  return octet === carriageReturn && (place === 'name' || place === 'value' || place === 'quoted_end') ? 'end' : null;
};

/**
 * Validates the chunk extensions of a body (RFC 9112, section 7.1.1), from behind the size to the
 * CR. Nothing is kept.
 */
class ChunkExtensions {
  #place: Place = 'size';
  /** Octets of this chunk's extensions. */
  #octets = 0;
  #bodyOctets = 0;

  take(octet: number): ExtensionStep {
    const place = next(this.#place, octet);
    if (place === null) return 'invalid_chunk_extension';
    if (place === 'end') {
      this.#place = 'size';
      this.#octets = 0;
      return 'end';
    }
    this.#place = place;
    this.#octets += 1;
    this.#bodyOctets += 1;
    const isTooLarge = this.#octets > maxChunkOctets || this.#bodyOctets > maxBodyOctets;
    return isTooLarge ? 'chunk_extensions_too_large' : 'more';
  }
}

export type ChunkedFault =
  /** No hexadecimal number, or no CR LF after it. */
  | 'invalid_chunk_size'
  /** Above 2^52, or more than 16 digits. */
  | 'chunk_size_overflow'
  /** The text after the size violates the grammar of RFC 9112, section 7.1.1. */
  | 'invalid_chunk_extension'
  /** The extensions of a chunk or of the body exceed their limit. */
  | 'chunk_extensions_too_large'
  /** The chunk is longer than its size, or does not end with CR LF. */
  | 'invalid_chunk_end'
  | 'trailers_too_large'
  | HeadFault;

/**
 * `data`: content lies between `dataStart` and `dataEnd`. `more`: more input is needed. `end`: the
 * message ends at `at`. `faulty`: see `fault`.
 */
export type ChunkedStep = 'data' | 'more' | 'end' | 'faulty';

/** Digits of a size, including leading zeros. */
const maxDigits = 16;
/** Sizes up to this one, and the next step that is refused, are exact numbers. */
const maxSize = 2 ** 52;

/** Parser state: what the next octet belongs to. */
type Phase = 'size' | 'extensions' | 'size_end' | 'data' | 'data_end' | 'data_line_feed' | 'trailers' | 'behind';

/** Fields of the last parsed trailer section. */
const trailerHead = new MessageHead();

/** Converts octets to text, one character each. */
export type OctetText = (octets: Uint8Array, start: number, end: number) => string;

/**
 * Incremental parser of one chunked body (RFC 9112, section 7.1). It reads nothing after the end,
 * and stays faulty after a fault. Extensions are validated and dropped. Trailer fields are all
 * kept; the caller filters them.
 */
export class ChunkedReader {
  /** Offset behind the last step; undefined after a fault. */
  at = 0;
  dataStart = 0;
  dataEnd = 0;
  fault: ChunkedFault | null = null;
  /** The trailer section, complete after `end`. */
  trailers: readonly string[] = [];
  readonly #octetText: OctetText;
  readonly #maxTrailerOctets: number;
  #phase: Phase = 'size';
  #size = 0;
  #digits = 0;
  /** Null until a chunk has extensions. */
  #extensions: ChunkExtensions | null = null;
  #trailerPart: HeadBuffer | null = null;

  constructor(octetText: OctetText, maxTrailerOctets: number) {
    this.#octetText = octetText;
    this.#maxTrailerOctets = maxTrailerOctets;
  }

  /** Parses the next step; after `data`, call it again from `at`. */
  step(octets: Uint8Array, start: number, end: number): ChunkedStep {
    if (this.fault !== null) return 'faulty';
    let at = start;
    if (this.#phase === 'behind') {
      this.at = at;
      return 'end';
    }
    while (at < end) {
      switch (this.#phase) {
        case 'size': {
          const value = hexadecimalValues[octets[at] as number] as number;
          if (value < 16) {
            this.#digits += 1;
            this.#size = this.#size * 16 + value;
            if (this.#size > maxSize || this.#digits > maxDigits) return this.#fail('chunk_size_overflow');
            at += 1;
          } else {
            if (this.#digits === 0) return this.#fail('invalid_chunk_size');
            this.#phase = 'extensions';
            if (octets[at] === carriageReturn) {
              this.#phase = 'size_end';
              at += 1;
            }
          }
          break;
        }
        case 'extensions': {
          this.#extensions ??= new ChunkExtensions();
          const step = this.#extensions.take(octets[at] as number);
          if (step === 'end') this.#phase = 'size_end';
          else if (step !== 'more') return this.#fail(step);
          at += 1;
          break;
        }
        case 'size_end':
          if (octets[at] !== lineFeed) return this.#fail('invalid_chunk_size');
          at += 1;
          this.#phase = this.#size === 0 ? 'trailers' : 'data';
          break;
        case 'data': {
          const taken = Math.min(this.#size, end - at);
          this.dataStart = at;
          this.dataEnd = at + taken;
          this.#size -= taken;
          if (this.#size === 0) this.#phase = 'data_end';
          this.at = this.dataEnd;
          return 'data';
        }
        case 'data_end':
          if (octets[at] !== carriageReturn) return this.#fail('invalid_chunk_end');
          this.#phase = 'data_line_feed';
          at += 1;
          break;
        case 'data_line_feed':
          if (octets[at] !== lineFeed) return this.#fail('invalid_chunk_end');
          this.#phase = 'size';
          this.#digits = 0;
          at += 1;
          break;
        case 'trailers':
          return this.#readTrailers(octets, at, end);
      }
    }
    this.at = at;
    return 'more';
  }

  #fail(fault: ChunkedFault): ChunkedStep {
    this.fault = fault;
    return 'faulty';
  }

  #readTrailers(octets: Uint8Array, start: number, end: number): ChunkedStep {
    const part = this.#trailerPart;
    if (part === null) {
      const step = this.#readSection(octets, start, end);
      if (step !== 'more') return step;
      this.#trailerPart = new HeadBuffer();
      this.#trailerPart.add(octets, start, end);
      this.#trailerPart.noteRead();
      return this.#wait(end, end - start);
    }
    const before = part.length;
    part.add(octets, start, end);
    if (!part.isDue && part.length < this.#maxTrailerOctets) return this.#wait(end, part.length);
    const step = this.#readSection(part.octets, 0, part.length);
    if (step === 'more') {
      part.noteRead();
      return this.#wait(end, part.length);
    }
    // Offsets refer to the new input.
    this.at = start + this.at - before;
    return step;
  }

  /** Oversized trailer sections are refused before they are buffered. */
  #wait(end: number, held: number): ChunkedStep {
    if (held >= this.#maxTrailerOctets) return this.#fail('trailers_too_large');
    this.at = end;
    return 'more';
  }

  #readSection(octets: Uint8Array, start: number, end: number): ChunkedStep {
    trailerHead.clear();
    const limit = Math.min(end, start + this.#maxTrailerOctets);
    const reading = readFields(octets, start, limit, start, trailerHead, true);
    if (reading === incompleteHead) return limit < end ? this.#fail('trailers_too_large') : 'more';
    if (reading < 0) return this.#fail(faultOf(reading));
    this.trailers = trailerHead.fieldCount === 0 ? [] : fieldList(this.#octetText(octets, start, reading), trailerHead);
    this.at = reading;
    this.#phase = 'behind';
    return 'end';
  }
}
