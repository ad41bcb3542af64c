import { carriageReturn, space, tab, tokenOctets, valueOctets } from './octets.js';

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
export type ExtensionStep = 'more' | 'end' | 'invalid_chunk_extension' | 'chunk_extensions_too_large';

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
export class ChunkExtensions {
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
