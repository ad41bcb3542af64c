import { fieldList } from './field-list.js';
import { HeadBuffer } from './head-buffer.js';
import { faultOf, type HeadFault, incompleteHead } from './head-fault.js';
import { MessageHead } from './message-head.js';
import { carriageReturn, hexadecimalValues, lineFeed, space, tab, tokenOctets, valueOctets } from './octets.js';
import { readFields } from './read-fields.js';

/** Octets of the extensions of one chunk. */
const maxChunkOctets = 256;
/** Octets of all extensions of a body: they are not content, and no other limit counts them. */
const maxBodyOctets = 8_192;

const semicolon = 0x3b;
const equals = 0x3d;
const quote = 0x22;
const backslash = 0x5c;

/** What was read last, and so what may come next. */
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

/** `end`: the carriage return of the line was read. */
type ExtensionStep = 'more' | 'end' | 'invalid_chunk_extension' | 'chunk_extensions_too_large';

const isBlank = (octet: number): boolean => octet === space || octet === tab;

/**
 * Where an octet leads from a place; null: it may not be there. A line never ends within quotes: another reader might take the
 * CR LF there for a part of the value, and find the next chunk elsewhere.
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

/** The same where a semicolon may come: behind a size, a name, a value, or blanks behind these. */
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
 * Reads the extensions of the chunks of one body (RFC 9112, section 7.1.1), octet by octet, from behind the digits of a size to
 * the CR of its line. Nothing of them is kept.
 */
class ChunkExtensions {
  #place: Place = 'size';
  /** Of this chunk. */
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
  /** Not a hexadecimal number, or its line does not end with CR LF. */
  | 'invalid_chunk_size'
  /** Over 2^52, or more than 16 digits. */
  | 'chunk_size_overflow'
  /** What follows a size is not an extension by the grammar of RFC 9112, section 7.1.1. */
  | 'invalid_chunk_extension'
  /** The extensions of one chunk, or of the whole body, are over their limit. */
  | 'chunk_extensions_too_large'
  /** A chunk is longer than its size says, or ends in another way than by CR LF. */
  | 'invalid_chunk_end'
  | 'trailers_too_large'
  | HeadFault;

/**
 * `data`: octets of content lie between `dataStart` and `dataEnd`; `more`: all is read, more has to come; `end`: the
 * message ends at `at`; `faulty`: see `fault`.
 */
export type ChunkedStep = 'data' | 'more' | 'end' | 'faulty';

/** Digits of a size, leading zeros included. */
const maxDigits = 16;
/** Every size up to this, and the step beyond that is refused, is exact. */
const maxSize = 2 ** 52;

/** What the next octet is part of. */
type Phase = 'size' | 'extensions' | 'size_end' | 'data' | 'data_end' | 'data_line_feed' | 'trailers' | 'behind';

/** Where fields of trailer sections are noted; valid until the next one is read. */
const trailerHead = new MessageHead();

/** Octets as text, one character for each. */
export type OctetText = (octets: Uint8Array, start: number, end: number) => string;

/**
 * Reads a body in chunks (RFC 9112, section 7.1), step by step, as it comes. One body: behind its end nothing is read, and
 * behind a fault it stays faulty. Chunk extensions are checked, and dropped. Trailer fields are read whatever their names: who
 * passes them on chooses among them.
 */
export class ChunkedReader {
  /** Behind what the last step has read; without meaning where that was faulty. */
  at = 0;
  dataStart = 0;
  dataEnd = 0;
  fault: ChunkedFault | null = null;
  /** Of the trailer section; complete with the step `end`. */
  trailers: readonly string[] = [];
  readonly #octetText: OctetText;
  readonly #maxTrailerOctets: number;
  #phase: Phase = 'size';
  #size = 0;
  #digits = 0;
  /** Null until a chunk has some. */
  #extensions: ChunkExtensions | null = null;
  #trailerPart: HeadBuffer | null = null;

  constructor(octetText: OctetText, maxTrailerOctets: number) {
    this.#octetText = octetText;
    this.#maxTrailerOctets = maxTrailerOctets;
  }

  /** The next step over the octets between two places; to be called again, from `at` on, after `data`. */
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
    // Places count in what has come now.
    this.at = start + this.at - before;
    return step;
  }

  /** A section is small: what is longer than it may be is refused before it is held. */
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
