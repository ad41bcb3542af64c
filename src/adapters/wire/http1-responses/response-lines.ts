import { fieldTrait, fieldTraits } from '../../../domain/http/field-traits.js';
import { mayHaveTraits } from '../../../domain/http/may-have-traits.js';
import { isDroppedAlone } from '../../../domain/http/returnable-fields.js';
import { fieldList } from '../http1/field-list.js';
import { FieldNames } from '../http1/field-names.js';
import { HeadLines } from '../http1/head-lines.js';
import { statusLine } from '../http1/head-text.js';
import { spanSize } from '../http1/message-head.js';
import { ownCopy } from '../http1/octets.js';
import type { ResponseHead } from '../http1/read-response-head.js';

const lineEnd = '\r\n';

const names = new FieldNames(fieldTraits);

/** Nothing is known: every trait there could be. */
const allTraits = -1;

const keepAliveName = 'keep-alive';

/**
 * The head of a response that was read, most of which goes on as it is. The lines that it goes on with are known as soon as
 * it is read; the list of its fields is made for those that ask for it.
 */
export class ResponseLines {
  /** The traits of all names (`fieldTraits`), together. */
  traits = 0;
  /** The same without the lines between `cutStart` and `cutEnd`. All bits: the lines cannot be passed on as they came. */
  passedTraits = 0;
  /** Content-Length, which is there once at the most, and digits alone: so the reader has it. -1: it has none. */
  readonly contentLength: number;
  /** The first Keep-Alive; null: it has none. */
  keepAlive: string | null = null;
  /** One character for each octet. */
  readonly #text: string;
  /** Where the first line behind the status line begins, and where the last one ends. */
  readonly #start: number;
  readonly #end: number;
  readonly #fieldCount: number;
  /** The lines that go on, where they are kept for further responses; null: they are put together when they are asked for. */
  #passedLines: string | null = null;
  /** The same behind the line of a status, where they are kept; empty: it has not been asked for. */
  #passedHead = '';
  #passedStatus = 0;
  /** Lines in a row that are dropped, whatever the others are. */
  #cutStart = 0;
  #cutEnd = 0;
  /** Null: it has not been asked for. */
  #fields: readonly string[] | null = null;

  /**
   * @param text the head that was read last, and perhaps more behind it
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
      // Only plain lines can be read again without looking at each octet.
      this.#fields = fieldList(text, head, names);
    }
  }

  /**
   * The same lines to be kept for responses that have the very same: nothing of the text that they came in is kept with them.
   */
  static kept(text: string, head: ResponseHead, length: number): ResponseLines {
    // INVARIANT: memory of its own.
    const lines = new ResponseLines(ownCopy(text.slice(0, length)), head, length);
    if (lines.passedTraits !== allTraits) lines.#passedLines = ownCopy(lines.passedLines);
    return lines;
  }

  get fields(): readonly string[] {
    this.#fields ??= this.#read();
    return this.#fields;
  }

  /** The lines with their fields; null where they are not written as this program writes them. */
  get lines(): HeadLines | null {
    return this.passedTraits === allTraits || this.#start === this.#end
      ? null
      : new HeadLines(this.#text, 0, this.#start, this.fields, this.traits);
  }

  /**
   * The lines that go on, each with its end.
   *
   * INVARIANT: none of their names has a trait beyond `passedTraits`, which are not all bits.
   */
  get passedLines(): string {
    if (this.#passedLines !== null) return this.#passedLines;
    const text = this.#text;
    const rest = text.slice(this.#cutEnd, this.#end);
    return this.#cutStart === this.#start ? rest : text.slice(this.#start, this.#cutStart) + rest;
  }

  /**
   * The same behind a status line. Throws an `UnwritableHeadError`.
   *
   * INVARIANT: as that of `passedLines`.
   */
  passedHead(status: number): string {
    if (this.#passedStatus === status) return this.#passedHead;
    const head = statusLine(status) + this.passedLines;
    if (this.#passedLines === null) return head;
    this.#passedHead = ownCopy(head);
    this.#passedStatus = status;
    return this.#passedHead;
  }

  /** Finds what is dropped, and what is to be known of the rest. */
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

  /** INVARIANT: each line is `name: value`, and no value has a line end in it. */
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
