import { reservedWords } from '../parse/token.js';
import { unescapeText } from '../parse/unescape-text.js';
import { sourceLines } from '../source-lines.js';

const blankPattern = /(?:\s|\/\/[^\n\r]*)*/y;
const tokenPattern = /[A-Za-z_][A-Za-z0-9_]*|"(?:[^"\\]|\\.)*"|::|[,;:{}[\]<>=?@()]/sy;
const wordPattern = /^[A-Za-z_]/;

/** Reads the words of a schema one by one. Once it has failed it stays so, with the first failure, and reads no further. */
export class SchemaScanner {
  readonly #text: string;
  #start = 0;
  #end = 0;
  #failure: string | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#next();
  }

  /** The word that comes next; empty at the end and after a failure. */
  get word(): string {
    return this.#failure === null ? this.#text.slice(this.#start, this.#end) : '';
  }

  /** What went wrong first, with line and column. */
  get failure(): string | null {
    return this.#failure;
  }

  get isAtEnd(): boolean {
    return this.#failure !== null || this.#start >= this.#text.length;
  }

  fail(expected: string): void {
    const { line, column } = sourceLines(this.#text).positionAt(this.#start);
    this.#failure ??= `line ${line}, column ${column}: ${expected} was expected`;
  }

  /** Takes the word where it comes next. */
  take(word: string): boolean {
    if (this.word !== word) return false;
    this.#next();
    return true;
  }

  /** Takes the word, which has to come next. */
  expect(word: string): void {
    if (!this.take(word)) this.fail(JSON.stringify(word));
  }

  /** Takes a name: reserved words are none, except where `any` is given. */
  takeIdentifier(any = false): string {
    const word = this.word;
    if (!wordPattern.test(word) || (!any && reservedWords.has(word) && word !== '__cedar')) {
      this.fail('a name');
      return '';
    }
    this.#next();
    return word;
  }

  get isAtString(): boolean {
    return this.word.startsWith('"');
  }

  takeString(): string {
    if (!this.isAtString) {
      this.fail('a string');
      return '';
    }
    const text = unescapeText(this.#text, this.#start + 1, this.#end - 1);
    if (!text.ok) this.fail('a string with proper escapes');
    this.#next();
    return text.ok ? text.value : '';
  }

  #next(): void {
    if (this.#failure !== null) return;
    blankPattern.lastIndex = this.#end;
    blankPattern.exec(this.#text);
    this.#start = blankPattern.lastIndex;
    tokenPattern.lastIndex = this.#start;
    const found = tokenPattern.exec(this.#text);
    this.#end = this.#start + (found?.[0].length ?? 0);
    if (found === null && this.#start < this.#text.length) this.fail('a word of a schema');
  }
}
