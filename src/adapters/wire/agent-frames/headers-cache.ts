import type { HeaderList } from '../../../domain/http/header-list.js';
import { isJsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { headerArrays } from '../agent-messages/field-kinds.js';
import { MalformedMessage } from '../agent-messages/json-payload.js';
import { OctetRangeCache } from './octet-range-cache.js';
import { idOctets, isLiteralAt } from './plain-octets.js';

/** Maximum cached header objects. */
const maxEntries = 512;

const closingBrace = 0x7d;

/** The header that differs in each request; Portcullis gateways write it last. */
const idHeader = 'x-correlation-id';
const beforeId = Buffer.from(`,"${idHeader}":["`);
const behindId = Buffer.from('"]}}');

/** A parsed object: complete, or up to the id, which is then its last value. */
interface CacheEntry {
  readonly headers: HeaderList;
  readonly endsWithId: boolean;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a headers object; null if malformed. */
const parseHeaders = (octets: Buffer): HeaderList | null => {
  try {
    const value: JsonValue = JSON.parse(decoder.decode(octets));
    return isJsonObject(value) ? headerArrays.fromJson(value, 'headers') : null;
  } catch (error) {
    // The reader of the whole message reports these errors.
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof MalformedMessage) return null;
    throw error;
  }
};

/**
 * Caches parsed header objects of gateways. Clients repeat their heads, so an object that differs
 * from a parsed one only in the request id is not parsed again.
 */
export class HeadersCache {
  readonly #entries = new OctetRangeCache<CacheEntry>(maxEntries);

  /**
   * Reads the headers at the end of a message.
   *
   * @param start offset of the first member, or of the closing brace
   * @returns null if the rest is not such an object and the end of the message
   */
  read(octets: Buffer, start: number): HeaderList | null {
    const idEnd = octets.length - behindId.length;
    let idAt = idEnd;
    if (isLiteralAt(octets, idEnd, behindId)) while (idOctets[octets[idAt - 1] as number] === 1) idAt -= 1;
    const membersEnd = idAt - beforeId.length;
    const endsWithId = idAt < idEnd && membersEnd > start && isLiteralAt(octets, membersEnd, beforeId);
    const end = endsWithId ? membersEnd : octets.length;
    const known = this.#entries.find(octets, start, end);
    if (known === null || known.endsWithId !== endsWithId) return this.#parse(octets, start, end, idAt, idEnd);
    if (!endsWithId) return known.headers;
    const headers = known.headers.slice();
    headers[headers.length - 1] = octets.toString('latin1', idAt, idEnd);
    return headers;
  }

  /**
   * INVARIANT: the object is parsed alone, so the cache holds the start of one object only. The
   * start ends outside a string; otherwise the following comma and quote would not parse. The id is
   * therefore a complete value and replaceable.
   */
  #parse(octets: Buffer, start: number, end: number, idAt: number, idEnd: number): HeaderList | null {
    const objectEnd = octets.length - 1;
    if (octets[objectEnd] !== closingBrace) return null;
    const headers = parseHeaders(octets.subarray(start - 1, objectEnd));
    if (headers === null) return null;
    const endsWithId = end < octets.length;
    const isId = headers.at(-2) === idHeader && headers.at(-1) === octets.toString('latin1', idAt, idEnd);
    if (!endsWithId || isId) this.#entries.putRepeated(octets, start, end, { headers, endsWithId });
    return headers;
  }
}
