import { ownCopy } from './own-copy.js';

/** Values that are remembered of a name; a power of 2. */
const slots = 64;
/** Characters of a value: no client can have more of them held. */
const longest = 128;

interface KnownLine {
  readonly value: string;
  readonly line: string;
}

const none: KnownLine = { value: '', line: '' };

/** The lines of a field with the values that came last; another value with the same slot takes a value's place. */
class LinesOfField {
  readonly #known: KnownLine[] = new Array<KnownLine>(slots).fill(none);

  /** The line, with its end, where it was written before; null: it is not known to be one. */
  take(value: string): string | null {
    const known = this.#known[slotOf(value)] as KnownLine;
    return known.value === value && known !== none ? known.line : null;
  }

  /** Remembers a line that was found to be sound, if it is one that is likely to come again. */
  remember(value: string, line: string): void {
    if (value.length < 2 || value.length > longest) return;
    // INVARIANT: copies. A part of a received head would keep all of it for as long as it is remembered.
    this.#known[slotOf(value)] = { value: ownCopy(value), line: ownCopy(line) };
  }
}

/** By what tells addresses and hosts apart in most cases; what does not costs no more than that a line is made anew. */
const slotOf = (value: string): number => {
  const { length } = value;
  return (
    (length * 7 +
      value.charCodeAt(length - 1) * 5 +
      value.charCodeAt(length - 2) * 11 +
      value.charCodeAt(length >> 1) * 3 +
      value.charCodeAt(length >> 2) * 13 +
      value.charCodeAt(length >> 3)) &
    (slots - 1)
  );
};

/**
 * Fields that the gateway writes itself, with the same values again and again. What they say of a client, the upstream or the
 * client itself is told anyway, and it is no secret: a list, because agents may set any other field, with anything in it.
 */
const fields: ReadonlyMap<string, LinesOfField> = new Map(
  [
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Host',
    'Forwarded',
    'Host',
    'RateLimit-Policy',
    'RateLimit',
  ].map((name) => [name, new LinesOfField()]),
);

/** The lines of a field that are remembered; null: those of this field are not. */
export const linesOfField = (name: string): LinesOfField | null => fields.get(name) ?? null;
