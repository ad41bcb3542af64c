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
  readonly name: string;
  /** The one that was written last: in most cases it is the next one, too. */
  #last = none;
  readonly #known: KnownLine[] = new Array<KnownLine>(slots).fill(none);

  constructor(name: string) {
    this.name = name;
  }

  /** The line, with its end, where it was written before; null: it is not known to be one. */
  take(value: string): string | null {
    if (this.#last.value !== value) this.#last = this.#known[slotOf(value)] as KnownLine;
    return this.#last.value === value && this.#last !== none ? this.#last.line : null;
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
const fields = [
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
  'Forwarded',
  'Host',
  'RateLimit-Policy',
  'RateLimit',
].map((name) => new LinesOfField(name));

/** By the length of the name: that tells most names from these without a look at their characters. */
const byLength: readonly (readonly LinesOfField[])[] = Array.from({ length: 32 }, (_, length) =>
  fields.filter(({ name }) => name.length === length),
);

/** The lines of a field that are remembered; null: those of this field are not. */
export const linesOfField = (name: string): LinesOfField | null => {
  const alike = byLength[name.length];
  if (alike === undefined) return null;
  for (const lines of alike) if (lines.name === name) return lines;
  return null;
};
