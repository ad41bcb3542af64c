import type { HeaderList } from '../../../domain/http/header-list.js';
import { isJsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { headerArrays } from '../agent-messages/field-kinds.js';
import { MalformedMessage } from '../agent-messages/json-payload.js';
import { OctetsMemory } from './octets-memory.js';
import { idOctets, standsAt } from './plain-octets.js';

/** Objects of headers that are remembered, at most. */
const maximumKnown = 512;

const closingBrace = 0x7d;

/** The header that is another one in each request, which our gateway writes last. */
const idHeader = 'x-correlation-id';
const beforeId = Buffer.from(`,"${idHeader}":["`);
const behindId = Buffer.from('"]}}');

/** An object that was read: all of it, or as far as the id, which is its last value then. */
interface KnownObject {
  readonly headers: HeaderList;
  readonly endsWithId: boolean;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The headers that a text is; null where it is not that. */
const parseHeaders = (octets: Buffer): HeaderList | null => {
  try {
    const value: JsonValue = JSON.parse(decoder.decode(octets));
    return isJsonObject(value) ? headerArrays.fromJson(value, 'headers') : null;
  } catch (error) {
    // What the others say is for whoever reads the whole message.
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof MalformedMessage) return null;
    throw error;
  }
};

/**
 * The objects of headers that gateways send. Clients send much the same head again and again, so that one that
 * differs from one that was read before in nothing but the id of the request is not read again.
 */
export class KnownHeaders {
  readonly #known = new OctetsMemory<KnownObject>(maximumKnown);

  /**
   * The headers of a message that ends with them.
   *
   * @param start where the first member of their object begins, or its end is
   * @returns null where what follows is no such object and the end of the message
   */
  read(octets: Buffer, start: number): HeaderList | null {
    const idEnd = octets.length - behindId.length;
    let idAt = idEnd;
    if (standsAt(octets, idEnd, behindId)) while (idOctets[octets[idAt - 1] as number] === 1) idAt -= 1;
    const membersEnd = idAt - beforeId.length;
    const endsWithId = idAt < idEnd && membersEnd > start && standsAt(octets, membersEnd, beforeId);
    const end = endsWithId ? membersEnd : octets.length;
    const known = this.#known.find(octets, start, end);
    if (known === null || known.endsWithId !== endsWithId) return this.#readAnew(octets, start, end, idAt, idEnd);
    if (!endsWithId) return known.headers;
    const headers = known.headers.slice();
    headers[headers.length - 1] = octets.toString('latin1', idAt, idEnd);
    return headers;
  }

  /**
   * INVARIANT: the text of the object is read by itself, so that what is remembered is the beginning of one object
   * and nothing else. It ends outside of a string, or the comma and the quote behind it would not be read: the id is
   * a value of its own wherever they follow, and can be any other.
   */
  #readAnew(octets: Buffer, start: number, end: number, idAt: number, idEnd: number): HeaderList | null {
    const objectEnd = octets.length - 1;
    if (octets[objectEnd] !== closingBrace) return null;
    const headers = parseHeaders(octets.subarray(start - 1, objectEnd));
    if (headers === null) return null;
    const endsWithId = end < octets.length;
    const isId = headers.at(-2) === idHeader && headers.at(-1) === octets.toString('latin1', idAt, idEnd);
    if (!endsWithId || isId) this.#known.putRepeated(octets, start, end, { headers, endsWithId });
    return headers;
  }
}
