import { allHeaders, type HeaderList } from '../../../domain/http/header-list.js';

const formType = 'application/x-www-form-urlencoded';

const mediaType = (value: string): string => {
  const end = value.indexOf(';');
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
};

/** Why the head of a request excludes a form of at most `formOctets`; null: nothing excludes it. */
export const formHeadFault = (headers: HeaderList, formOctets: number): 'not_a_form' | 'too_large' | null => {
  const types = allHeaders(headers, 'content-type');
  if (types.length !== 1 || mediaType(types[0] as string) !== formType) return 'not_a_form';
  // A compressed body is not a form. A body without a length is counted as it arrives.
  if (allHeaders(headers, 'content-encoding').length > 0) return 'not_a_form';
  return allHeaders(headers, 'content-length').some((length) => Number(length) > formOctets) ? 'too_large' : null;
};

const firstCapacity = 4096;

/** Buffers the octets of a form. Uses at most twice their size, even for tiny chunks. */
export class FormBuffer {
  readonly #limit: number;
  #held = new Uint8Array(0);
  #length = 0;

  /** @param limit maximum octets */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Allocated octets. */
  get capacity(): number {
    return this.#held.length;
  }

  fits(piece: Uint8Array): boolean {
    return this.#length + piece.length <= this.#limit;
  }

  /** By how many octets adding the chunk increases the capacity. */
  growthFor(piece: Uint8Array): number {
    return this.#capacityFor(piece) - this.#held.length;
  }

  /** Copies the chunk, which must fit. */
  add(piece: Uint8Array): void {
    const capacity = this.#capacityFor(piece);
    if (capacity > this.#held.length) {
      const larger = new Uint8Array(capacity);
      larger.set(this.#held.subarray(0, this.#length));
      this.#held = larger;
    }
    this.#held.set(piece, this.#length);
    this.#length += piece.length;
  }

  /** All octets. Nothing may be added afterwards. */
  octets(): Uint8Array {
    return this.#held.subarray(0, this.#length);
  }

  #capacityFor(piece: Uint8Array): number {
    const needed = this.#length + piece.length;
    if (needed <= this.#held.length) return this.#held.length;
    return Math.min(this.#limit, Math.max(needed, firstCapacity, this.#held.length * 2));
  }
}
