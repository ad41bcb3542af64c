import type { JsonObject } from './json.js';

/** Largest nesting depth of arrays and objects. */
export const maximumJsonDepth = 32;

/** JSON whose numbers may have another type. */
type Json<Kept> = null | boolean | number | string | Kept | readonly Json<Kept>[] | Members<Kept>;

interface Members<Kept> {
  readonly [name: string]: Json<Kept>;
}

/** Converts the text of a well-formed number; null: refused. */
type NumberReader<Kept> = (text: string) => number | Kept | null;

/** The state of the parser. `failed` is never cleared. */
interface Reading<Kept = unknown> {
  readonly text: string;
  readonly numberOf: NumberReader<Kept>;
  position: number;
  failed: boolean;
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Literal characters of a string: no control character, quote or backslash. */
const plainPattern = /[^"\\\x00-\x1f]*/y;
const hexPattern = /[0-9a-fA-F]{4}/y;
const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
const nine = 0x39;
/** `.`, `E` and `e`. */
const numberGoesOn: ReadonlySet<number> = new Set([0x2e, 0x45, 0x65]);
/** Integers of up to this many digits are exact. */
const exactDigits = 15;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const fail = (reading: Reading): null => {
  reading.failed = true;
  return null;
};

const take = (reading: Reading, pattern: RegExp): string | null => {
  pattern.lastIndex = reading.position;
  const found = pattern.exec(reading.text);
  if (found === null) return null;
  reading.position += found[0].length;
  return found[0];
};

const skipSpace = (reading: Reading): void => {
  for (;;) {
    const code = reading.text.charCodeAt(reading.position);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    reading.position += 1;
  }
};

const takeCharacter = (reading: Reading, character: string): boolean => {
  if (reading.text.charAt(reading.position) !== character) return false;
  reading.position += 1;
  return true;
};

/** Reads a string with escapes, from its first character. */
const readEscapedString = (reading: Reading): string => {
  let value = '';
  while (!reading.failed) {
    value += take(reading, plainPattern) ?? '';
    if (takeCharacter(reading, '"')) return value;
    if (!takeCharacter(reading, '\\')) fail(reading);
    else if (takeCharacter(reading, 'u')) {
      const hex = take(reading, hexPattern);
      if (hex === null) fail(reading);
      else value += String.fromCharCode(Number.parseInt(hex, 16));
    } else {
      const escaped = escapes[reading.text.charAt(reading.position)];
      reading.position += 1;
      if (escaped === undefined) fail(reading);
      else value += escaped;
    }
  }
  return '';
};

const readString = (reading: Reading): string => {
  if (!takeCharacter(reading, '"')) {
    fail(reading);
    return '';
  }
  const { text, position } = reading;
  // Nearly every string is plain, and a loop is several times as fast as a regular expression.
  let end = position;
  let code = text.charCodeAt(end);
  while (code >= 0x20 && code !== quote && code !== backslash) {
    end += 1;
    code = text.charCodeAt(end);
  }
  if (code !== quote) return readEscapedString(reading);
  reading.position = end + 1;
  return text.slice(position, end);
};

const isDigit = (code: number): boolean => code >= zero && code <= nine;

const readNumber = <Kept>(reading: Reading<Kept>): number | Kept | null => {
  const { text, position } = reading;
  // Nearly every number is a short integer, which needs neither a regular expression nor a number reader.
  let end = position;
  let value = 0;
  for (let code = text.charCodeAt(end); isDigit(code); code = text.charCodeAt(end)) {
    value = value * 10 + code - zero;
    end += 1;
  }
  const length = end - position;
  const isWhole = !numberGoesOn.has(text.charCodeAt(end));
  if (length > 0 && length <= exactDigits && isWhole && (length === 1 || text.charCodeAt(position) !== zero)) {
    reading.position = end;
    return value;
  }
  const digits = take(reading, numberPattern);
  return (digits === null ? null : reading.numberOf(digits)) ?? fail(reading);
};

const readWord = <Word>(reading: Reading, word: string, value: Word): Word | null => {
  if (!reading.text.startsWith(word, reading.position)) return fail(reading);
  reading.position += word.length;
  return value;
};

const readArray = <Kept>(reading: Reading<Kept>, depth: number): Json<Kept> => {
  const items: Json<Kept>[] = [];
  reading.position += 1;
  skipSpace(reading);
  if (takeCharacter(reading, ']')) return items;
  while (!reading.failed) {
    items.push(readValue(reading, depth));
    if (takeCharacter(reading, ']')) return items;
    if (!takeCharacter(reading, ',')) fail(reading);
  }
  return null;
};

/** Defines a member, so that `__proto__` is an ordinary name. */
const addMember = <Value>(members: Record<string, Value>, name: string, value: Value): void => {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
};

const readObject = <Kept>(reading: Reading<Kept>, depth: number): Json<Kept> => {
  const members: Record<string, Json<Kept>> = {};
  reading.position += 1;
  skipSpace(reading);
  if (takeCharacter(reading, '}')) return members;
  while (!reading.failed) {
    skipSpace(reading);
    const name = readString(reading);
    skipSpace(reading);
    if (Object.hasOwn(members, name) || !takeCharacter(reading, ':')) return fail(reading);
    addMember(members, name, readValue(reading, depth));
    if (takeCharacter(reading, '}')) return members;
    if (!takeCharacter(reading, ',')) fail(reading);
  }
  return null;
};

/** Reads a value and the white space around it. */
const readValue = <Kept>(reading: Reading<Kept>, depth: number): Json<Kept> => {
  skipSpace(reading);
  const value = readBareValue(reading, depth);
  skipSpace(reading);
  return value;
};

const readBareValue = <Kept>(reading: Reading<Kept>, depth: number): Json<Kept> => {
  switch (reading.text.charAt(reading.position)) {
    case '{':
      return depth < maximumJsonDepth ? readObject(reading, depth + 1) : fail(reading);
    case '[':
      return depth < maximumJsonDepth ? readArray(reading, depth + 1) : fail(reading);
    case '"':
      return readString(reading);
    case 't':
      return readWord(reading, 'true', true);
    case 'f':
      return readWord(reading, 'false', false);
    case 'n':
      return readWord(reading, 'null', null);
    default:
      return readNumber(reading);
  }
};

/** Like `parseStrictJsonObject`, with a custom reader of numbers. Non-negative integers of up to 15 digits skip it. */
export const parseStrictObject = <Kept>(text: string, numberOf: NumberReader<Kept>): Members<Kept> | null => {
  const reading: Reading<Kept> = { text, numberOf, position: 0, failed: false };
  skipSpace(reading);
  if (reading.text.charAt(reading.position) !== '{') return null;
  const value = readValue(reading, 0);
  if (reading.failed || reading.position !== text.length) return null;
  return value as Members<Kept>;
};

const finiteNumber = (text: string): number | null => {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
};

/**
 * Parses a JSON object more strictly than RFC 8259. Duplicate names are errors, because two parsers could choose
 * different values. Nesting is bounded, and numbers are finite. Null for anything else.
 */
export const parseStrictJsonObject = (text: string): JsonObject | null => parseStrictObject<never>(text, finiteNumber);
