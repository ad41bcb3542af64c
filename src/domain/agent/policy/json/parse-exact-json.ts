import { err, ok, type Result } from '../../../shared/result.js';
import { quotedName } from '../shortened-text.js';
import { longFromDecimalText } from '../values/long.js';
import { type ExactJson, UnusableNumber } from './exact-json.js';
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
class TextReading {
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

/** Arrays and objects within each other, at most. */
export const maximumExactJsonDepth = 100;

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const integerPattern = /^-?[0-9]+$/;
/** A sign and 19 digits: no 64-bit integer is longer. */
const longestInteger = 20;
const words: ReadonlyMap<string, ExactJson> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const wordPattern = /true|false|null/y;

const readNumber = (reading: TextReading): ExactJson => {
  const text = reading.take(numberPattern);
  if (text === null) return reading.fail('a value was expected');
  // A zero with a sign is no integer to JSON readers of Cedar either.
  if (text === '-0' || text.length > longestInteger || !integerPattern.test(text)) return new UnusableNumber(text);
  return longFromDecimalText(text) ?? new UnusableNumber(text);
};

const readArray = (reading: TextReading, depth: number): ExactJson => {
  const items: ExactJson[] = [];
  reading.skipSpace();
  if (reading.takeCharacter(']')) return items;
  while (!reading.hasFailed) {
    reading.within(items.length, () => items.push(readValue(reading, depth)));
    if (reading.takeCharacter(']')) return items;
    if (!reading.takeCharacter(',')) reading.fail('"," or "]" was expected');
  }
  return null;
};

/** Defines it: one that is named __proto__ is a member like any other. */
const addMember = (members: Record<string, ExactJson>, name: string, value: ExactJson): void => {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
};

const readMember = (reading: TextReading, members: Record<string, ExactJson>, depth: number): void => {
  reading.skipSpace();
  const start = reading.position;
  const name = reading.takeString();
  if (Object.hasOwn(members, name)) reading.fail(`the key ${quotedName(name)} is there twice`, start);
  reading.skipSpace();
  if (!reading.takeCharacter(':')) reading.fail('":" was expected');
  if (!reading.hasFailed) reading.within(name, () => addMember(members, name, readValue(reading, depth)));
};

const readObject = (reading: TextReading, depth: number): ExactJson => {
  const members: Record<string, ExactJson> = {};
  reading.skipSpace();
  if (reading.takeCharacter('}')) return members;
  while (!reading.hasFailed) {
    readMember(reading, members, depth);
    if (reading.takeCharacter('}')) return members;
    if (!reading.takeCharacter(',')) reading.fail('"," or "}" was expected');
  }
  return null;
};

const readBareValue = (reading: TextReading, depth: number): ExactJson => {
  if (reading.nextIs('"')) return reading.takeString();
  if (reading.nextIs('{') || reading.nextIs('[')) {
    if (depth >= maximumExactJsonDepth) return reading.fail(`it is nested more than ${maximumExactJsonDepth} deep`);
    return reading.takeCharacter('{') ? readObject(reading, depth + 1) : readNested(reading, depth + 1);
  }
  const word = reading.take(wordPattern);
  return word === null ? readNumber(reading) : (words.get(word) ?? null);
};

const readNested = (reading: TextReading, depth: number): ExactJson => {
  reading.takeCharacter('[');
  return readArray(reading, depth);
};

/** Reads a value and the white space around it. */
const readValue = (reading: TextReading, depth: number): ExactJson => {
  if (reading.hasFailed) return null;
  reading.skipSpace();
  const value = readBareValue(reading, depth);
  reading.skipSpace();
  return value;
};

/**
 * Reads JSON (RFC 8259) with all the digits of its integers. Stricter than the standard: a key may be there only once
 * in an object, nesting is bounded, and a string has no half of a surrogate pair. The error says where, by line and
 * by key: `line 3, column 9 (at [0].attrs): the key "age" is there twice`.
 */
export const parseExactJson = (text: string): Result<ExactJson, string> => {
  const reading = new TextReading(text);
  const value = readValue(reading, 0);
  if (!reading.hasFailed && reading.position < text.length) reading.fail('the end of the text was expected');
  return reading.failure === null ? ok(value) : err(reading.failure);
};
