import { fieldTrait, fieldTraits, mayHaveTraits } from '../../../domain/http/field-traits.js';
import { isDroppedAlone } from '../../../domain/http/returnable-fields.js';
import { HeadLines } from '../http1/head-lines.js';
import { statusLine } from '../http1/head-text.js';
import { FieldNames, fieldList, spanSize } from '../http1/message-head.js';
import type { ResponseHead } from '../http1/read-head.js';

const lineEnd = '\r\n';

const names = new FieldNames(fieldTraits);

/** Unknown: all traits. */
const allTraits = -1;

const keepAliveName = 'keep-alive';

/**
 * A parsed response head that mostly passes unchanged. The forwarded lines are known after the
 * parse; the field list is built on demand.
 */
export class ResponseLines {
  /** Union of the traits of all names (`fieldTraits`). */
  traits = 0;
  /**
   * The same without the lines from `cutStart` to `cutEnd`. All bits: the lines cannot be forwarded
   * as received.
   */
  passedTraits = 0;
  /** The only Content-Length, already validated; -1 if absent. */
  readonly contentLength: number;
  /** First Keep-Alive, or null. */
  keepAlive: string | null = null;
  /** One character per octet. */
  readonly #text: string;
  /** Offsets of the first field line and of the end of the last. */
  readonly #start: number;
  readonly #end: number;
  readonly #fieldCount: number;
  /** A range of lines that is dropped. */
  #cutStart = 0;
  #cutEnd = 0;
  /** Null until requested. */
  #fields: readonly string[] | null = null;

  /**
   * @param text the last parsed head, and perhaps more
   * @param length octets of the head
   */
  constructor(text: string, head: ResponseHead, length: number) {
    this.#text = text;
    this.#end = length - lineEnd.length;
    this.#start = head.fieldCount > 0 ? (head.spans[0] as number) : this.#end;
    this.#fieldCount = head.fieldCount;
    this.contentLength = head.contentLength;
    this.#look(head);
    if (!head.isPlain) {
      this.passedTraits = allTraits;
      // Only plain lines can be split again without a check of each octet.
      this.#fields = fieldList(text, head, names);
    }
  }

  get fields(): readonly string[] {
    this.#fields ??= this.#read();
    return this.#fields;
  }

  /** The lines with their fields; null if they are not in this project's notation. */
  get lines(): HeadLines | null {
    return this.passedTraits === allTraits || this.#start === this.#end
      ? null
      : new HeadLines(this.#text, 0, this.#start, this.fields, this.traits);
  }

  /**
   * The forwarded lines with their line ends. INVARIANT: their names have only the traits
   * `passedTraits`, which are not all bits.
   */
  get passedLines(): string {
    const text = this.#text;
    const rest = text.slice(this.#cutEnd, this.#end);
    return this.#cutStart === this.#start ? rest : text.slice(this.#start, this.#cutStart) + rest;
  }

  /**
   * The same after a status line. Throws `UnwritableHeadError`. INVARIANT: as for `passedLines`.
   */
  passedHead(status: number): string {
    return statusLine(status) + this.passedLines;
  }

  /** Finds the dropped lines and the traits of the others. */
  #look({ spans, fieldCount }: ResponseHead): void {
    const text = this.#text;
    let traits = 0;
    let passedTraits = 0;
    let cutStart = this.#start;
    let cutEnd = cutStart;
    for (let at = 0; at < fieldCount * spanSize; at += spanSize) {
      const nameStart = spans[at] as number;
      const nameEnd = spans[at + 1] as number;
      if (!mayHaveTraits(nameEnd - nameStart, text.charCodeAt(nameStart))) continue;
      names.marks = 0;
      const name = names.take(text, nameStart, nameEnd);
      const { marks } = names;
      traits |= marks;
      if ((marks & fieldTrait.hopByHop) !== 0) {
        const valueEnd = spans[at + 3] as number;
        const value = text.slice(spans[at + 2] as number, valueEnd);
        if (name.length === keepAliveName.length && name.toLowerCase() === keepAliveName) this.keepAlive ??= value;
        if (isDroppedAlone(marks, value) && (cutEnd === nameStart || cutEnd === this.#start)) {
          if (cutEnd === this.#start) cutStart = nameStart;
          cutEnd = valueEnd + lineEnd.length;
          continue;
        }
      }
      passedTraits |= marks;
    }
    this.traits = traits;
    this.passedTraits = passedTraits;
    this.#cutStart = cutStart;
    this.#cutEnd = cutEnd;
  }

  /** INVARIANT: each line is `name: value`, and no value contains a line end. */
  #read(): readonly string[] {
    const text = this.#text;
    const end = this.#end;
    const fields: string[] = new Array(this.#fieldCount * 2);
    let place = 0;
    for (let at = this.#start; at < end; place += 2) {
      const nameEnd = text.indexOf(':', at);
      const valueEnd = text.indexOf(lineEnd, nameEnd);
      fields[place] = names.take(text, at, nameEnd);
      fields[place + 1] = text.slice(nameEnd + 2, valueEnd);
      at = valueEnd + lineEnd.length;
    }
    return fields;
  }
}
