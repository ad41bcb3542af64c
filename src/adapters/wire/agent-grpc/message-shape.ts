import { err, ok, type Result } from '../../../domain/shared/result.js';
import { FieldWalk, wireTypes } from './field-walk.js';
import { isUtf8 } from './utf8-octets.js';

/** What a field holds: `small` a number of 32 bits at the most, or a truth value, `smalls` many of them, `large` one of 64. */
export type FieldShape = 'small' | 'smalls' | 'large' | 'float' | 'double' | 'text' | MessageShape;

/** The fields of a message by their numbers. INVARIANT: no message holds itself, at any depth. */
export interface MessageShape {
  readonly [field: number]: FieldShape;
}

/** What the octets of a message are like. */
export interface MessageLook {
  /** Whether every text in it is UTF-8. A decoder puts U+FFFD for what is none, so that two texts come out as one. */
  readonly isText: boolean;
}

const isSmall = (octets: number): boolean => octets <= 5 || octets === 10;

class ShapeWalk {
  readonly #octets: Uint8Array;
  readonly #maximumFields: number;
  #fields = 0;
  isText = true;

  constructor(octets: Uint8Array, maximumFields: number) {
    this.#octets = octets;
    this.#maximumFields = maximumFields;
  }

  /** What is wrong with the message from `start` up to `end`, or null. */
  fault(shape: MessageShape, start: number, end: number): string | null {
    const walk = new FieldWalk(this.#octets, start, end);
    while (walk.next()) {
      this.#fields += 1;
      const fault = this.#fieldFault(shape[walk.field], walk);
      if (fault !== null) return fault;
      if (this.#fields > this.#maximumFields) return 'it holds too many fields';
    }
    return walk.isBroken ? 'it is cut off or no message' : null;
  }

  /** A decoder that goes by numbers alone would read on elsewhere after a field of another type than it should have. */
  #fieldFault(field: FieldShape | undefined, walk: FieldWalk): string | null {
    if (field === undefined) return null;
    const isFit = this.#isFit(field, walk);
    if (!isFit) return 'a field is of another type than it should be';
    return typeof field === 'string' ? null : this.fault(field, walk.valueStart, walk.valueEnd);
  }

  #isFit(field: FieldShape, { wireType, varintOctets, valueStart, valueEnd }: FieldWalk): boolean {
    switch (field) {
      case 'small':
        return wireType === wireTypes.varint && isSmall(varintOctets);
      case 'large':
        return wireType === wireTypes.varint;
      case 'float':
        return wireType === wireTypes.fourOctets;
      case 'double':
        return wireType === wireTypes.eightOctets;
      case 'smalls':
        if (wireType !== wireTypes.lengthDelimited) return wireType === wireTypes.varint && isSmall(varintOctets);
        // Each octet may be a number.
        this.#fields += valueEnd - valueStart;
        return true;
      case 'text':
        if (wireType !== wireTypes.lengthDelimited) return false;
        this.isText &&= isUtf8(this.#octets, valueStart, valueEnd);
        return true;
      default:
        return wireType === wireTypes.lengthDelimited;
    }
  }
}

/**
 * Looks at the octets of a message before they are decoded: small fields take far more memory decoded than they came in.
 * The error says why they must not be, and quotes none of them.
 *
 * @param maximumFields of the message and all that are in it, with the elements of packed lists
 */
export const lookAtMessage = (
  octets: Uint8Array,
  shape: MessageShape,
  maximumFields: number,
): Result<MessageLook, string> => {
  const walk = new ShapeWalk(octets, maximumFields);
  const fault = walk.fault(shape, 0, octets.length);
  return fault === null ? ok({ isText: walk.isText }) : err(fault);
};

/** How many of the fields are known to the shape; only the outermost ones are counted. INVARIANT: nothing is wrong with the octets. */
export const countMembers = (octets: Uint8Array, shape: MessageShape): number => {
  const walk = new FieldWalk(octets, 0, octets.length);
  let members = 0;
  while (walk.next()) if (shape[walk.field] !== undefined) members += 1;
  return members;
};
