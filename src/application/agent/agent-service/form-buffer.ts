import { allHeaders, type HeaderList } from '../../../domain/http/header-list.js';

const formType = 'application/x-www-form-urlencoded';

const mediaType = (value: string): string => {
  const end = value.indexOf(';');
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
};

/**
 * What the head of a request says against its body being a form, of `formOctets` at most, that is read here; null:
 * nothing.
 */
export const formHeadFault = (headers: HeaderList, formOctets: number): 'not_a_form' | 'too_large' | null => {
  const types = allHeaders(headers, 'content-type');
  if (types.length !== 1 || mediaType(types[0] as string) !== formType) return 'not_a_form';
  // A body that is compressed would be no form, and one that says no length is counted as it comes.
  if (allHeaders(headers, 'content-encoding').length > 0) return 'not_a_form';
  return allHeaders(headers, 'content-length').some((length) => Number(length) > formOctets) ? 'too_large' : null;
};

const firstCapacity = 4096;

/** Octets of a form as they come. It takes at most twice the room that they need, in however small pieces they come. */
export class FormBuffer {
  readonly #limit: number;
  #held = new Uint8Array(0);
  #length = 0;

  /** @param limit octets at most */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Octets that it takes in memory. */
  get capacity(): number {
    return this.#held.length;
  }

  fits(piece: Uint8Array): boolean {
    return this.#length + piece.length <= this.#limit;
  }

  /** Octets by which its capacity grows where the piece is added. */
  growthFor(piece: Uint8Array): number {
    return this.#capacityFor(piece) - this.#held.length;
  }

  /** The piece has to fit. It is copied. */
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

  /** All that came; nothing is added after this. */
  octets(): Uint8Array {
    return this.#held.subarray(0, this.#length);
  }

  #capacityFor(piece: Uint8Array): number {
    const needed = this.#length + piece.length;
    if (needed <= this.#held.length) return this.#held.length;
    return Math.min(this.#limit, Math.max(needed, firstCapacity, this.#held.length * 2));
  }
}
