import { lineLength } from './head-lines.js';
import { valueOctets } from './octets.js';

/** The same text in memory of its own. */
const copyOf = (text: string): string => ` ${text}`.slice(1);

const isValue = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (valueOctets[text.charCodeAt(at)] !== 1) return false;
  return true;
};

/** Octets of a line in front of its value, beside its name: a colon and a space. */
const nameExtra = 2;

/**
 * Lines that were sent, for requests whose fields come again: the next ones are the same but for one value, which is made for
 * each request.
 */
export class SentLines {
  readonly #fields: readonly string[];
  /** All of them, until one has differed. */
  #lines: string;
  /** Which entry differs; -1: none has yet. */
  #gap = -1;
  /** The lines in front of its value, and behind it. */
  #before = '';
  #behind = '';

  /**
   * @param fields name and value in turn; never changed
   * @param lines those of all of them, each with its end (RFC 9112, section 5), one character for each octet
   * @param received the fields of the head that they came in, which are kept anyway
   */
  constructor(fields: readonly string[], lines: string, received: readonly string[]) {
    // INVARIANT: copies. A value that an agent has set may be part of a text of any length, which would be kept as long as the connection.
    this.#fields = fields.map((text, at) => {
      const known = received[at];
      if (text === known) return known;
      return (at & 1) === 0 ? text : copyOf(text);
    });
    this.#lines = copyOf(lines);
  }

  /** The lines of other fields; null where they differ in more than one value, or it is none that may be written. */
  with(fields: readonly string[]): string | null {
    const known = this.#fields;
    if (fields.length !== known.length) return null;
    const gap = this.#gap < 0 ? this.#firstDifference(fields) : this.#gap;
    if (gap < 0) return this.#lines;
    for (let at = 0; at < known.length; at += 1) if (at !== gap && fields[at] !== known[at]) return null;
    const value = fields[gap] as string;
    // A name that differs is no value.
    if ((gap & 1) === 0 || !isValue(value)) return null;
    if (gap !== this.#gap) this.#cut(gap);
    return this.#before + value + this.#behind;
  }

  #firstDifference(fields: readonly string[]): number {
    return this.#fields.findIndex((text, at) => text !== fields[at]);
  }

  #cut(gap: number): void {
    const fields = this.#fields;
    let start = 0;
    for (let at = 0; at + 1 < gap; at += 2) start += lineLength(fields[at] as string, fields[at + 1] as string);
    start += (fields[gap - 1] as string).length + nameExtra;
    this.#gap = gap;
    this.#before = copyOf(this.#lines.slice(0, start));
    this.#behind = copyOf(this.#lines.slice(start + (fields[gap] as string).length));
    this.#lines = '';
  }
}
