import { blockCommentEnd } from './source-text.js';

/** A replacement in a text. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Description for the user. */
  readonly message: string;
}

/** A text with repaired syntax errors. */
export interface RepairedText {
  readonly text: string;
  /** The repairs, with offsets in the original text. */
  readonly changes: readonly { readonly offset: number; readonly message: string }[];
  /** Converts an offset in the repaired text to one in the original. */
  readonly originalOffset: (offset: number) => number;
  /** There was a URL without quotes. KDL takes the text after its scheme for a comment. */
  readonly hasUrl: boolean;
}

const keyword = /^(?:true|false|null)$/;
const number =
  /^[+-]?(?:0x[0-9a-fA-F][0-9a-fA-F_]*|0o[0-7][0-7_]*|0b[01][01_]*|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)$/;
/** An identifier that needs no quotes in KDL 2, stricter than the language. */
const identifier = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

/** A URL extends to the next white space, or to the next comma in a list. No comment begins in it. */
const url = /[^\s{}()"#;=[\],\\/]+:\/\/[^\s{}()"[\],;\\]*/y;
const word = /[^\s{}()"#;=[\],\\/]+(?:\/(?![/*])[^\s{}()"#;=[\],\\/]*)*|\/(?![/*-])[^\s{}()"#;=[\],\\]*/y;

/** Messages of repairs. */
export const noBrackets = 'a list has no brackets and no commas';
export const noEquals = 'a key and its value have no "=" between them';
export const nameWithDigit = 'a name that begins with a digit needs quotes';
export const emptyStatement = 'a ";" needs a setting before it';

/** Largest length of a list that is examined as a whole. */
const longestList = 4096;
/** The rest of a list after its bracket, without comments and blocks. */
const plainList = /^(?:"(?:[^"\\\n\r]|\\.)*"|[^"[\]{}/#\\])*\]/;

/** The closing bracket at the end of a line. */
const listEnd = /\s*\][ \t]*(?:[\n\r]|$)/y;

/** A list that contains only comments. */
const hollowList = /^\[(?:\s|\/\/[^\n\r]*(?=[\n\r])|\/\*(?:[^*/]|\*(?!\/)|\/(?!\*))*\*\/)*?([ \t]*\])/;

/** Repairs a text in one pass. */
class SyntaxRepair {
  readonly #text: string;
  readonly edits: Edit[] = [];
  /** A URL without quotes was found. */
  hasUrl = false;
  #at = 0;
  /** The name of a setting has been read, so values follow. */
  #named = false;
  #brackets = 0;
  #isStrange = false;
  /** The current statement is empty so far. */
  #isEmpty = true;
  /** White space in lists that is removed to join lines. */
  readonly #joined: (readonly [start: number, end: number])[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** False: brackets that are not a list, because they are nested, unclosed or contain blocks. */
  run(): boolean {
    while (this.#at < this.#text.length && !this.#isStrange) this.#step();
    return !this.#isStrange && this.#brackets === 0;
  }

  #step(): void {
    const rest = this.#text.charAt(this.#at);
    if (this.#joined[0]?.[0] === this.#at) {
      this.#at = this.#joined.shift()?.[1] ?? this.#at + 1;
      return;
    }
    if (this.#lineComment()) return;
    if (!/[\s;]/.test(rest) && !this.#text.startsWith('/*', this.#at)) this.#isEmpty = false;
    if (this.#text.startsWith('/*', this.#at)) this.#blockComment();
    else if (rest === '\n' || rest === '\r') this.#lineEnd();
    else if (rest === '\\') this.#continued();
    else if (rest === '"') this.#string();
    else if (rest === 'r' && /^r#*"/.test(this.#text.slice(this.#at, this.#at + 70)) && !this.#inWord()) this.#oldRaw();
    else if (rest === '#') this.#hashes();
    else if (rest === '[' || rest === ']' || rest === ',') this.#listMark(rest);
    else if (rest === '=') this.#equals();
    else if (rest === '{' || rest === '}' || rest === ';') this.#break(rest);
    else if (rest === '(') this.#skip(/\([^()\n\r]*\)?/y);
    else if (!this.#word()) this.#at += 1;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return false;
    this.#at += found[0].length;
    return true;
  }

  #break(mark: string): void {
    if (mark === ';' && this.#isEmpty && this.#brackets === 0) {
      this.#edit(this.#at, this.#at + 1, '', emptyStatement);
    }
    this.#isStrange ||= this.#brackets > 0;
    this.#named = false;
    this.#isEmpty = mark !== '}';
    this.#at += 1;
  }

  #inWord(): boolean {
    return this.#at > 0 && /[\p{L}\p{N}_.-]/u.test(this.#text.charAt(this.#at - 1));
  }

  /** A line end ends a setting. Inside brackets it becomes a line continuation. */
  #lineEnd(): void {
    if (this.#brackets === 0) {
      this.#named = false;
      this.#isEmpty = true;
    } else if (this.#endsList()) return;
    else this.#edit(this.#at, this.#at, /[\s[]/.test(this.#text.charAt(this.#at - 1)) ? '\\' : ' \\', noBrackets);
    this.#pastLineEnd();
  }

  #pastLineEnd(): void {
    this.#at += this.#text.startsWith('\r\n', this.#at) ? 2 : 1;
  }

  /** Removes a closing bracket together with its line. */
  #endsList(): boolean {
    const rest = /^\s*\]/.exec(this.#text.slice(this.#at, this.#at + longestList));
    if (rest === null) return false;
    const end = this.#at + rest[0].length;
    this.#edit(this.#at, end, this.#gapAt(end), noBrackets);
    this.#at = end;
    this.#brackets -= 1;
    return true;
  }

  /** In a list, inserts the line continuation before a comment, because it has no effect inside one. */
  #lineComment(): boolean {
    const start = this.#at;
    if (!this.#skip(/\/\/[^\n\r]*/y)) return false;
    if (this.#brackets === 0 || this.#at === this.#text.length) return true;
    listEnd.lastIndex = this.#at;
    if (listEnd.test(this.#text)) return true;
    this.#edit(start, start, '\\ ', noBrackets);
    this.#pastLineEnd();
    return true;
  }

  /** Joins a multi-line list without comments to one line. */
  #joinLines(): void {
    const list = plainList.exec(this.#text.slice(this.#at, this.#at + longestList));
    if (list === null) return;
    for (const gap of list[0].matchAll(/\s*[\n\r]\s*/g)) {
      const start = this.#at + gap.index;
      const end = start + gap[0].length;
      const isEdge = this.#text.charAt(start - 1) === '[' || this.#text.charAt(end) === ']';
      this.#joined.push([start, end]);
      this.#edit(start, end, isEdge ? '' : ' ', noBrackets);
    }
  }

  /** The separator between the end of a list and a following value. */
  #gapAt(end: number): string {
    return /^(?:[\s;{}\],]|\/[/*]|$)/.test(this.#text.slice(end, end + 2)) ? '' : ' ';
  }

  #continued(): void {
    if (!this.#skip(/\\[ \t]*(?:\/\/[^\n\r]*)?(?:\r\n|[\n\r])/y)) this.#at += 1;
  }

  #blockComment(): void {
    this.#at = blockCommentEnd(this.#text, this.#at);
  }

  #string(): void {
    const start = this.#at;
    const fence = this.#text.startsWith('"""', start) ? '"""' : '"';
    let at = start + fence.length;
    while (at < this.#text.length && !this.#text.startsWith(fence, at)) {
      if (this.#text.startsWith('\\/', at)) this.#edit(at, at + 2, '/', 'a slash needs no backslash');
      at += this.#text.charAt(at) === '\\' ? 2 : 1;
    }
    this.#at = Math.min(this.#text.length, at + fence.length);
    this.#named = true;
  }

  /** `r"..."` and `r#"..."#` of KDL 1. */
  #oldRaw(): void {
    const start = this.#at;
    const hashes = /^r(#*)"/.exec(this.#text.slice(start, start + 70))?.[1] ?? '';
    const close = `"${hashes}`;
    const end = this.#text.indexOf(close, start + hashes.length + 2);
    const message = 'a raw string has number signs, but no r';
    this.#edit(start, start + 1, hashes === '' ? '#' : '', message);
    if (end < 0) {
      this.#at = this.#text.length;
      return;
    }
    this.#at = end + close.length;
    if (hashes === '') this.#edit(this.#at, this.#at, '#', message);
    this.#named = true;
  }

  /** A raw string of KDL 2, or a keyword. */
  #hashes(): void {
    const opening = /^(#+)("""|")/.exec(this.#text.slice(this.#at, this.#at + 70));
    if (opening === null) {
      if (!this.#skip(/#-?\w+/y)) this.#at += 1;
      return;
    }
    const [whole, hashes = '', quote = ''] = opening;
    const end = this.#text.indexOf(quote + hashes, this.#at + whole.length);
    this.#at = end < 0 ? this.#text.length : end + quote.length + hashes.length;
    this.#named = true;
  }

  #listMark(mark: string): void {
    const at = this.#at;
    this.#at += 1;
    if (mark === '[') {
      const empty = /^\[\s*\]/.exec(this.#text.slice(at, at + 200));
      const space = /\s/.test(this.#text.charAt(at - 1)) ? '' : ' ';
      if (empty !== null) {
        this.#edit(at, at + empty[0].length, `${space}#null`, 'an empty list is #null');
        this.#at = at + empty[0].length;
        return;
      }
      const hollow = hollowList.exec(this.#text.slice(at, at + longestList));
      listEnd.lastIndex = at + (hollow?.[0].length ?? 1) - 1;
      const isAtEnd = hollow === null || !/[\n\r]/.test(hollow[0]) || listEnd.test(this.#text);
      if (hollow !== null && !isAtEnd) {
        // Its lines get continuations, as in any other list.
        this.#edit(at, at + 1, `${space}#null `, 'an empty list is #null');
        this.#isStrange ||= this.#brackets > 0;
        this.#brackets += 1;
        return;
      }
      if (hollow !== null) {
        this.#edit(at, at + 1, `${space}#null`, 'an empty list is #null');
        this.#edit(at + hollow[0].length - (hollow[1] ?? '').length, at + hollow[0].length, '', noBrackets);
        this.#at = at + hollow[0].length;
        return;
      }
      this.#isStrange ||= this.#brackets > 0;
      this.#brackets += 1;
      // White space after the bracket suffices as separator.
      const after = /^\[([ \t]*)/.exec(this.#text.slice(at, at + 200))?.[1] ?? '';
      this.#edit(at, at + 1 + after.length, space, noBrackets);
      this.#at = at + 1 + after.length;
      this.#joinLines();
      return;
    }
    if (mark === ']') {
      this.#isStrange ||= this.#brackets === 0;
      this.#brackets -= 1;
      this.#edit(at, at + 1, this.#gapAt(at + 1), noBrackets);
      return;
    }
    const next = this.#text.charAt(this.#at);
    this.#edit(at, at + 1, /\s|\]/.test(next) ? '' : ' ', noBrackets);
  }

  /** `key = value` becomes `key value`; `setting name = value` becomes `setting name=value`. */
  #equals(): void {
    const before = /[ \t]*$/.exec(this.#text.slice(Math.max(0, this.#at - 200), this.#at))?.[0].length ?? 0;
    const after = /^[ \t]*/.exec(this.#text.slice(this.#at + 1, this.#at + 201))?.[0].length ?? 0;
    const start = this.#at - before;
    const lineStart = Math.max(
      this.#text.lastIndexOf('\n', start - 1),
      this.#text.lastIndexOf('\r', start - 1),
      this.#text.lastIndexOf(';', start - 1),
      this.#text.lastIndexOf('{', start - 1),
    );
    const isKey = /^\s*[\w-]+$/.test(this.#text.slice(lineStart + 1, start));
    const end = this.#at + 1 + after;
    if (isKey) this.#edit(start, end, ' ', noEquals);
    else if (before + after > 0) this.#edit(start, end, '=', 'a property has no spaces around "="');
    this.#at = end;
    this.#named = true;
  }

  #word(): boolean {
    word.lastIndex = this.#at;
    url.lastIndex = this.#at;
    const address = this.#named ? url.exec(this.#text)?.[0] : undefined;
    const found = address ?? word.exec(this.#text)?.[0];
    if (found === undefined) return false;
    const start = this.#at;
    this.#at += found.length;
    if (!this.#named) {
      this.#named = true;
      if (/^[+-]?\.?\d/.test(found)) this.#edit(start, this.#at, `"${found}"`, nameWithDigit);
      return true;
    }
    if (address !== undefined) {
      this.hasUrl = true;
      this.#edit(start, this.#at, `"${found}"`, 'a value that is not a number needs quotes');
      return true;
    }
    // The name of a property.
    if (/^[ \t]*=/.test(this.#text.slice(this.#at, this.#at + 100))) return true;
    if (keyword.test(found)) this.#edit(start, start, '#', `${found} is #${found} in KDL 2`);
    else if (!number.test(found) && !identifier.test(found)) {
      this.#edit(start, this.#at, `"${found}"`, 'a value that is not a number needs quotes');
    }
    return true;
  }

  #edit(start: number, end: number, text: string, message: string): void {
    this.edits.push({ start, end, text, message });
  }
}

/**
 * Repairs common non-KDL forms of older files: lists in brackets, KDL 1 keywords in KDL 2, values without quotes, and
 * `=` between a key and its value. The KDL parser then checks the result.
 */
export const repairSyntax = (text: string): RepairedText => {
  const repair = new SyntaxRepair(text);
  if (!repair.run()) return { text, changes: [], originalOffset: (offset) => offset, hasUrl: false };
  const edits = repair.edits.toSorted((left, right) => left.start - right.start || left.end - right.end);
  let result = '';
  let from = 0;
  const marks: [repaired: number, original: number][] = [];
  for (const { start, end, text: replacement } of edits) {
    if (start < from) continue;
    result += text.slice(from, start) + replacement;
    from = end;
    marks.push([result.length, end]);
  }
  result += text.slice(from);
  const originalOffset = (offset: number): number => {
    let low = 0;
    let high = marks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((marks[middle]?.[0] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const before = marks[low - 1];
    return Math.min(text.length, before === undefined ? offset : before[1] + offset - before[0]);
  };
  const declared = result.replace(/^(\s*\/-[ \t]*kdl-version[ \t]+)1(?=\s|$)/, '$12');
  const changes = edits.map(({ start, message }) => ({ offset: start, message }));
  return { text: declared, changes, originalOffset, hasUrl: repair.hasUrl };
};
