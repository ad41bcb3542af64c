import { type JsonStep, jsonPath } from './json-path.js';

/** Characters that stand for themselves in a string: no control character, no quote, no backslash. */
const plainPattern = /[^"\\\x00-\x1f]*/y;
const hexPattern = /[0-9a-fA-F]{4}/y;
const loneSurrogate = /\p{Surrogate}/u;

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** `line 3, column 9` of an offset, both from 1; looked for once, after a failure. */
const placeOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return `line ${before.split('\n').length}, column ${offset - lineStart + 1}`;
};

/** Where a reader of a JSON text stands. Once it has failed it stays so, with the first failure. */
export class TextReading {
  readonly #text: string;
  readonly #steps: JsonStep[] = [];
  #position = 0;
  #failure: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  get position(): number {
    return this.#position;
  }

  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  /** What went wrong first, with the place. */
  get failure(): string | null {
    return this.#failure;
  }

  fail(message: string, position = this.#position): null {
    const path = jsonPath(this.#steps);
    this.#failure ??= `${placeOf(this.#text, position)}${path === '' ? '' : ` (at ${path})`}: ${message}`;
    return null;
  }

  /** Reads what is under a key or at an index, which then is part of the place of a failure. */
  within(step: JsonStep, read: () => void): void {
    this.#steps.push(step);
    read();
    this.#steps.pop();
  }

  /** Takes what a sticky expression matches here; null where it matches nothing. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#position += found[0].length;
    return found[0];
  }

  nextIs(character: string): boolean {
    return this.#text.charAt(this.#position) === character;
  }

  takeCharacter(character: string): boolean {
    if (!this.nextIs(character)) return false;
    this.#position += 1;
    return true;
  }

  skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#position);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#position += 1;
    }
  }

  /** Takes a string in its quotes. */
  takeString(): string {
    const start = this.#position;
    if (!this.takeCharacter('"')) {
      this.fail('a string was expected');
      return '';
    }
    let value = '';
    while (!this.hasFailed) {
      value += this.take(plainPattern) ?? '';
      if (this.takeCharacter('"')) break;
      value += this.#takeEscape();
    }
    if (loneSurrogate.test(value)) this.fail('the string has half of a surrogate pair', start);
    return value;
  }

  #takeEscape(): string {
    if (!this.takeCharacter('\\')) {
      this.fail(this.#position < this.#text.length ? 'a control character in a string' : 'the string does not end');
      return '';
    }
    if (this.takeCharacter('u')) {
      const hex = this.take(hexPattern);
      if (hex === null) this.fail('four hexadecimal digits were expected');
      return String.fromCharCode(Number.parseInt(hex ?? '0', 16));
    }
    const escaped = escapes.get(this.#text.charAt(this.#position));
    if (escaped === undefined) this.fail('no such escape in a string');
    this.#position += 1;
    return escaped ?? '';
  }
}
