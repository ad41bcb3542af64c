import type { HeaderList } from '../../../domain/http/header-list.js';
import { ownText } from '../../../domain/shared/utf8.js';
import { headerArrays } from '../agent-messages/field-kinds.js';
import type { JsonOctets } from './json-octets.js';

/** Lists that are remembered, at most: one for each place. */
const places = 512;
/** Octets of one that is. */
const longestKnown = 4_096;
/** Texts of a list whose names are compared with one another. */
const maximumCompared = 128;

/** An odd number whose multiples are far apart. */
const spread = 0x9e37_79b1;

/** The header that is another one in each request. */
const idHeader = 'x-correlation-id';

interface KnownList {
  readonly headers: HeaderList;
  /** Its texts that are written. */
  readonly count: number;
  readonly octets: Uint8Array;
}

const hasRepeated = (headers: HeaderList): boolean => {
  for (let index = 2; index < headers.length; index += 2) {
    for (let earlier = 0; earlier < index; earlier += 2) if (headers[earlier] === headers[index]) return true;
  }
  return false;
};

/** A small number that lists of other texts seldom have. Tokens of one length differ in their signatures. */
const sumOf = (headers: HeaderList, count: number): number => {
  let sum = count;
  for (let index = 1; index < count; index += 2) {
    const value = headers[index] as string;
    const { length } = value;
    sum = Math.imul(sum ^ length, spread);
    if (length === 0) continue;
    sum = Math.imul(sum ^ value.charCodeAt(length - 1), spread);
    sum = Math.imul(sum ^ value.charCodeAt(length >> 1), spread);
    sum ^= sum >>> 15;
  }
  return sum;
};

const areSame = (known: KnownList, headers: HeaderList, count: number): boolean => {
  if (known.count !== count || known.headers.length !== headers.length) return false;
  for (let index = 0; index < count; index += 1) if (known.headers[index] !== headers[index]) return false;
  return true;
};

/**
 * Writes lists of headers as JSON has them; the members of an object have no order. Clients send much the same head
 * again and again: what differs from one that was written before in nothing but the id of the request, which comes
 * last, is not written again, but copied.
 */
export class HeaderJsonCache {
  readonly #known: (KnownList | null)[] = Array.from({ length: places }, () => null);
  /** By place the sum of the list that was written there last. */
  readonly #written = new Int32Array(places);

  /**
   * @param writtenId an id that stands in `into` as it is in JSON, as most requests have it in their last header;
   * null: none does
   * @param writtenAt where that is
   */
  add(into: JsonOctets, headers: HeaderList, writtenId: string | null = null, writtenAt = 0): void {
    const isWithId = headers.length >= 2 && headers[headers.length - 2] === idHeader;
    const count = isWithId ? headers.length - 2 : headers.length;
    if (headers.length > maximumCompared || count === 0) {
      into.addText(JSON.stringify(headerArrays.toJson(headers)));
      return;
    }
    const sum = sumOf(headers, count);
    const known = this.#known[sum & (places - 1)] ?? null;
    if (known !== null && areSame(known, headers, count)) into.add(known.octets);
    else if (hasRepeated(headers)) {
      into.addText(JSON.stringify(headerArrays.toJson(headers)));
      return;
    } else this.#write(into, headers, count, sum);
    if (isWithId) {
      const id = headers[headers.length - 1] as string;
      into.addAscii('],"x-correlation-id":[');
      // With the quotes around it.
      if (id === writtenId) into.addAgain(writtenAt - 1, writtenAt + id.length + 1);
      else into.addString(id);
    }
    into.addAscii(']}');
  }

  /** All but what closes the last value. What comes once is not remembered: that would cost more than it saves. */
  #write(into: JsonOctets, headers: HeaderList, count: number, sum: number): void {
    const start = into.length;
    for (let index = 0; index < count; index += 2) {
      into.addAscii(index === 0 ? '{' : '],');
      into.addString(headers[index] as string);
      into.addAscii(':[');
      into.addString(headers[index + 1] as string);
    }
    const place = sum & (places - 1);
    const isAgain = this.#written[place] === sum;
    this.#written[place] = sum;
    if (!isAgain || into.length - start > longestKnown) return;
    // INVARIANT: no text of it is a part of the head that it came in, which may be far longer than what is written of
    // it.
    this.#known[place] = { headers: headers.map(ownText), count, octets: into.view().slice(start) };
  }
}
