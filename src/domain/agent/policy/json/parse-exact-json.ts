import { err, ok, type Result } from '../../../shared/result.js';
import { quoteName } from '../abbreviate-text.js';
import { longFromDecimalText } from '../values/long.js';
import { type ExactJson, UnusableNumber } from './exact-json.js';
import { type JsonStep, jsonPath } from './json-path.js';

/** String characters without an escape: everything except control characters, quotes and backslashes. */
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

/** `line 3, column 9` of an offset; both count from 1. Linear, but runs only once, after a failure. */
const placeOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return `line ${before.split('\n').length}, column ${offset - lineStart + 1}`;
};

/** A cursor over a JSON text. Stops at the first failure and keeps it. */
class JsonCursor {
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

  /** The first failure, with its location. */
  get failure(): string | null {
    return this.#failure;
  }

  fail(message: string, position = this.#position): null {
    const path = jsonPath(this.#steps);
    this.#failure ??= `${placeOf(this.#text, position)}${path === '' ? '' : ` (at ${path})`}: ${message}`;
    return null;
  }

  /** Reads the value under a key or index, and adds that step to the location of a failure. */
  within(step: JsonStep, read: () => void): void {
    this.#steps.push(step);
    read();
    this.#steps.pop();
  }

  /** Consumes the match of a sticky pattern; null if it does not match here. */
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

  /** Consumes a quoted string. */
  takeString(): string {
    const start = this.#position;
    if (!this.takeCharacter('"')) {
      this.fail('expected a string');
      return '';
    }
    let value = '';
    while (!this.hasFailed) {
      value += this.take(plainPattern) ?? '';
      if (this.takeCharacter('"')) break;
      value += this.#takeEscape();
    }
    if (loneSurrogate.test(value)) this.fail('the string has a lone surrogate', start);
    return value;
  }

  #takeEscape(): string {
    if (!this.takeCharacter('\\')) {
      this.fail(this.#position < this.#text.length ? 'control character in a string' : 'the string is not closed');
      return '';
    }
    if (this.takeCharacter('u')) {
      const hex = this.take(hexPattern);
      if (hex === null) this.fail('four hexadecimal digits were expected');
      return String.fromCharCode(Number.parseInt(hex ?? '0', 16));
    }
    const escaped = escapes.get(this.#text.charAt(this.#position));
    if (escaped === undefined) this.fail('unknown escape in a string');
    this.#position += 1;
    return escaped ?? '';
  }
}

/** Maximum nesting of arrays and objects. */
export const maximumExactJsonDepth = 100;

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const integerPattern = /^-?[0-9]+$/;
/** A sign and 19 digits, the longest 64-bit integer. */
const maxIntegerLength = 20;
const words: ReadonlyMap<string, ExactJson> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const wordPattern = /true|false|null/y;

const readNumber = (cursor: JsonCursor): ExactJson => {
  const text = cursor.take(numberPattern);
  if (text === null) return cursor.fail('expected a value');
  // Cedar's JSON reader does not accept -0 as an integer either.
  if (text === '-0' || text.length > maxIntegerLength || !integerPattern.test(text)) return new UnusableNumber(text);
  return longFromDecimalText(text) ?? new UnusableNumber(text);
};

const readArray = (cursor: JsonCursor, depth: number): ExactJson => {
  const items: ExactJson[] = [];
  cursor.skipSpace();
  if (cursor.takeCharacter(']')) return items;
  while (!cursor.hasFailed) {
    cursor.within(items.length, () => items.push(readValue(cursor, depth)));
    if (cursor.takeCharacter(']')) return items;
    if (!cursor.takeCharacter(',')) cursor.fail('expected "," or "]"');
  }
  return null;
};

/** Adds an own property, even for the name `__proto__`. */
const addMember = (members: Record<string, ExactJson>, name: string, value: ExactJson): void => {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
};

const readMember = (cursor: JsonCursor, members: Record<string, ExactJson>, depth: number): void => {
  cursor.skipSpace();
  const start = cursor.position;
  const name = cursor.takeString();
  if (Object.hasOwn(members, name)) cursor.fail(`duplicate key ${quoteName(name)}`, start);
  cursor.skipSpace();
  if (!cursor.takeCharacter(':')) cursor.fail('expected ":"');
  if (!cursor.hasFailed) cursor.within(name, () => addMember(members, name, readValue(cursor, depth)));
};

const readObject = (cursor: JsonCursor, depth: number): ExactJson => {
  const members: Record<string, ExactJson> = {};
  cursor.skipSpace();
  if (cursor.takeCharacter('}')) return members;
  while (!cursor.hasFailed) {
    readMember(cursor, members, depth);
    if (cursor.takeCharacter('}')) return members;
    if (!cursor.takeCharacter(',')) cursor.fail('expected "," or "}"');
  }
  return null;
};

const readBareValue = (cursor: JsonCursor, depth: number): ExactJson => {
  if (cursor.nextIs('"')) return cursor.takeString();
  if (cursor.nextIs('{') || cursor.nextIs('[')) {
    if (depth >= maximumExactJsonDepth) return cursor.fail(`nested more than ${maximumExactJsonDepth} deep`);
    return cursor.takeCharacter('{') ? readObject(cursor, depth + 1) : readNested(cursor, depth + 1);
  }
  const word = cursor.take(wordPattern);
  return word === null ? readNumber(cursor) : (words.get(word) ?? null);
};

const readNested = (cursor: JsonCursor, depth: number): ExactJson => {
  cursor.takeCharacter('[');
  return readArray(cursor, depth);
};

/** Reads a value and the surrounding white space. */
const readValue = (cursor: JsonCursor, depth: number): ExactJson => {
  if (cursor.hasFailed) return null;
  cursor.skipSpace();
  const value = readBareValue(cursor, depth);
  cursor.skipSpace();
  return value;
};

/**
 * Parses JSON (RFC 8259) and keeps all digits of integers. Stricter than the standard: it refuses duplicate keys,
 * nesting beyond a limit and lone surrogates. The error gives line, column and path:
 * `line 3, column 9 (at [0].attrs): duplicate key "age"`.
 */
export const parseExactJson = (text: string): Result<ExactJson, string> => {
  const cursor = new JsonCursor(text);
  const value = readValue(cursor, 0);
  if (!cursor.hasFailed && cursor.position < text.length) cursor.fail('expected the end of the text');
  return cursor.failure === null ? ok(value) : err(cursor.failure);
};
