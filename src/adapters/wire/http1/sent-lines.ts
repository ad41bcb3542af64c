import { lineLength } from './head-lines.js';
import { requestLine } from './head-text.js';
import { isOf, ownCopy, valueOctets } from './octets.js';

/** Octets of a line in front of its value, beside its name: a colon and a space. */
const nameExtra = 2;
/** Values that may differ. */
const maxGaps = 4;
/** Characters of a method and a request-target; longer ones are written each time. */
const maxTarget = 1_024;
/** So many in a row that differ otherwise, and it is not tried any more. */
const maxMisses = 16;

/** Fields that are as those of a kept list, which is never changed, but for the value in one place. */
export interface FieldsLikeKept {
  readonly fields: readonly string[];
  readonly kept: readonly string[];
  readonly at: number;
}

/**
 * Lines that were sent, for requests whose fields come again: the next ones are the same but for a few values, which are made
 * for each request.
 */
export class SentLines {
  readonly #fields: readonly string[];
  /** All of them, until some have differed. */
  #lines: string;
  /** Which entries differ, in their order; empty: none has yet. */
  #gaps: readonly number[] = [];
  /** The lines in front of the value of each gap, and behind the last one. */
  #parts: readonly string[] = [];
  #misses = 0;
  /** A list that is the same but for the one gap; null: none is known. */
  #kept: readonly string[] | null = null;
  /** What is behind the value of the last gap, to the end of the head. */
  #end = '';
  // A request that was sent again, up to the value of its one gap.
  #method = '';
  #target = '';
  #begin = '';
  /** That of the last request. */
  #lastTarget = '';

  /**
   * @param fields name and value in turn; never changed
   * @param lines those of all of them, each with its end (RFC 9112, section 5), one character for each octet
   * @param kept lists that are kept anyway, of whose texts some stand in the same places: those that the head came with, and the like
   */
  constructor(fields: readonly string[], lines: string, kept: readonly (readonly string[])[]) {
    // INVARIANT: copies. What an agent has set may be part of a text of any length, which would be kept as long as the connection.
    // The very texts that come again are told from others at a glance.
    this.#fields = fields.map((text, at) => kept.find((list) => list[at] === text)?.[at] ?? ownCopy(text));
    this.#lines = ownCopy(lines);
  }

  /**
   * The head of a request with other fields, to its end (RFC 9112, section 2.1), one character for each octet; null where they differ
   * in other entries than those before did, or not in values alone that may be written. Throws an `UnwritableHeadError`.
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
    // INVARIANT: these fields are as the known ones but for the one gap, and as the kept ones but for the same place; so are all that
    // are like the kept ones.
    const isLike = alike !== null && alike.fields === fields && this.#gaps.length === 1 && this.#gaps[0] === alike.at;
    if (lines !== null && isLike) this.#kept = alike.kept;
    return lines;
  }

  /** Whether they differ from the kept ones, which were found to differ in the one gap alone, in that place alone. */
  #isLike(fields: readonly string[], alike: FieldsLikeKept | null): alike is FieldsLikeKept {
    return alike !== null && alike.fields === fields && alike.kept === this.#kept && alike.at === this.#gaps[0];
  }

  /** What is in front of the value: remembered where the last request has asked for the same. */
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
      // A name that differs is no value.
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
