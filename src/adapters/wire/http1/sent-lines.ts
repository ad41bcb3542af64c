import { lineLength } from './head-lines.js';
import { requestLine } from './head-text.js';
import { isOf, ownCopy, valueOctets } from './octets.js';

/** Octets of a line between name and value: colon and space. */
const nameExtra = 2;
/** Most values that may vary. */
const maxGaps = 4;
/** Longest cached method and request-target, in characters. */
const maxTarget = 1_024;
/** Consecutive misses after which caching stops. */
const maxMisses = 16;

/** Fields that equal a cached list except for the value at one index. */
export interface FieldsLikeKept {
  readonly fields: readonly string[];
  readonly kept: readonly string[];
  readonly at: number;
}

/**
 * Sent lines of requests with repeated fields: later requests reuse them except for a few values.
 */
export class SentLines {
  readonly #fields: readonly string[];
  /** All lines, until some differ. */
  #lines: string;
  /** Indexes of varying entries in order; empty at first. */
  #gaps: readonly number[] = [];
  /** Text before each varying value, and after the last. */
  #parts: readonly string[] = [];
  #misses = 0;
  /** A cached list equal except for the single gap, or null. */
  #kept: readonly string[] | null = null;
  /** Text after the last varying value, to the end of the head. */
  #end = '';
  // A repeated request, up to the value of its single gap.
  #method = '';
  #target = '';
  #begin = '';
  /** Target of the last request. */
  #lastTarget = '';

  /**
   * @param fields name and value in turn; immutable
   * @param lines their lines with line ends (RFC 9112, section 5), one character per octet
   * @param kept cached lists that share strings at equal indexes, such as the received fields
   */
  constructor(fields: readonly string[], lines: string, kept: readonly (readonly string[])[]) {
    // INVARIANT: copies. A value from an agent may be a slice of a long text, which the connection
    // would retain. Shared strings compare by identity.
    this.#fields = fields.map((text, at) => kept.find((list) => list[at] === text)?.[at] ?? ownCopy(text));
    this.#lines = ownCopy(lines);
  }

  /**
   * The complete head for other fields (RFC 9112, section 2.1), one character per octet. Null if
   * they differ at other indexes or beyond values that may be written. Throws
   * `UnwritableHeadError`.
   */
  head(method: string, target: string, fields: readonly string[], alike: FieldsLikeKept | null = null): string | null {
    if (!this.#isLike(fields, alike)) {
      const lines = this.#linesOf(fields, alike);
      return lines === null ? null : `${requestLine(method, target)}${lines}\r\n`;
    }
    this.#misses = 0;
    const value = fields[alike.at] as string;
    if (!isOf(value, valueOctets)) return null;
    const begin = this.#target === target && this.#method === method ? this.#begin : this.#beginOf(method, target);
    return `${begin}${value}${this.#end}`;
  }

  #linesOf(fields: readonly string[], alike: FieldsLikeKept | null): string | null {
    if (this.#misses === maxMisses) return null;
    const lines = fields.length === this.#fields.length ? this.#with(fields) : null;
    this.#misses = lines === null ? this.#misses + 1 : 0;
    // INVARIANT: both the fields and the cached list differ from the known ones at the single gap
    // only; so do all fields like the cached list.
    const isLike = alike !== null && alike.fields === fields && this.#gaps.length === 1 && this.#gaps[0] === alike.at;
    if (lines !== null && isLike) this.#kept = alike.kept;
    return lines;
  }

  /** Whether the fields differ from the cached list only at the single gap. */
  #isLike(fields: readonly string[], alike: FieldsLikeKept | null): alike is FieldsLikeKept {
    return alike !== null && alike.fields === fields && alike.kept === this.#kept && alike.at === this.#gaps[0];
  }

  /** Text before the value; cached if the last request had the same target. */
  #beginOf(method: string, target: string): string {
    const begin = `${requestLine(method, target)}${this.#parts[0]}`;
    if (method.length + target.length > maxTarget) return begin;
    if (this.#lastTarget === target) {
      this.#method = method;
      this.#target = target;
      this.#begin = ownCopy(begin);
    }
    this.#lastTarget = target;
    return begin;
  }

  #with(fields: readonly string[]): string | null {
    if (this.#gaps.length === 0) {
      const gaps = this.#differences(fields);
      if (gaps.length === 0) return this.#lines;
      // A differing name is no value.
      if (gaps.length > maxGaps || gaps.some((gap) => (gap & 1) === 0)) return null;
      this.#cut(gaps);
    }
    const known = this.#fields;
    const gaps = this.#gaps;
    const parts = this.#parts;
    let text = parts[0] as string;
    let next = 0;
    for (let at = 0; at < known.length; at += 1) {
      if (at === gaps[next]) {
        const value = fields[at] as string;
        if (!isOf(value, valueOctets)) return null;
        next += 1;
        text += value + (parts[next] as string);
      } else if (fields[at] !== known[at]) return null;
    }
    return text;
  }

  #differences(fields: readonly string[]): number[] {
    return fields.flatMap((text, at) => (text === this.#fields[at] ? [] : [at]));
  }

  #cut(gaps: readonly number[]): void {
    const fields = this.#fields;
    const parts: string[] = [];
    let begin = 0;
    let line = 0;
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const name = fields[at] as string;
      const value = fields[at + 1] as string;
      if (gaps.includes(at + 1)) {
        const place = line + name.length + nameExtra;
        parts.push(ownCopy(this.#lines.slice(begin, place)));
        begin = place + value.length;
      }
      line += lineLength(name, value);
    }
    const last = ownCopy(this.#lines.slice(begin));
    parts.push(last);
    this.#end = `${last}\r\n`;
    this.#gaps = gaps;
    this.#parts = parts;
    this.#lines = '';
  }
}
