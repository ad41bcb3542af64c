import type { JsonObject } from './json.js';

/** Largest nesting depth of arrays and objects. */
export const maximumJsonDepth = 32;

/** JSON. A number may also be a value that the number reader creates. */
type Json<CustomNumber> =
  | null
  | boolean
  | number
  | string
  | CustomNumber
  | readonly Json<CustomNumber>[]
  | Members<CustomNumber>;

interface Members<CustomNumber> {
  readonly [name: string]: Json<CustomNumber>;
}

/** Converts the text of a well-formed number; null: refused. */
type NumberReader<CustomNumber> = (text: string) => number | CustomNumber | null;

/** The state of the parser. `failed` is never cleared. */
interface ParserState<CustomNumber = unknown> {
  readonly text: string;
  readonly numberOf: NumberReader<CustomNumber>;
  position: number;
  failed: boolean;
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Unescaped characters of a string (RFC 8259, section 7): no control character, quote or backslash. */
const unescapedPattern = /[^"\\\x00-\x1f]*/y;
const hexPattern = /[0-9a-fA-F]{4}/y;
const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
const nine = 0x39;
/** `.`, `E` and `e`. */
const fractionOrExponent: ReadonlySet<number> = new Set([0x2e, 0x45, 0x65]);
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

const fail = (parser: ParserState): null => {
  parser.failed = true;
  return null;
};

const take = (parser: ParserState, pattern: RegExp): string | null => {
  pattern.lastIndex = parser.position;
  const found = pattern.exec(parser.text);
  if (found === null) return null;
  parser.position += found[0].length;
  return found[0];
};

const skipSpace = (parser: ParserState): void => {
  for (;;) {
    const code = parser.text.charCodeAt(parser.position);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    parser.position += 1;
  }
};

const takeCharacter = (parser: ParserState, character: string): boolean => {
  if (parser.text.charAt(parser.position) !== character) return false;
  parser.position += 1;
  return true;
};

/** Reads a string with escapes, from its first character. */
const readEscapedString = (parser: ParserState): string => {
  let value = '';
  while (!parser.failed) {
    value += take(parser, unescapedPattern) ?? '';
    if (takeCharacter(parser, '"')) return value;
    if (!takeCharacter(parser, '\\')) fail(parser);
    else if (takeCharacter(parser, 'u')) {
      const hex = take(parser, hexPattern);
      if (hex === null) fail(parser);
      else value += String.fromCharCode(Number.parseInt(hex, 16));
    } else {
      const escaped = escapes[parser.text.charAt(parser.position)];
      parser.position += 1;
      if (escaped === undefined) fail(parser);
      else value += escaped;
    }
  }
  return '';
};

const readString = (parser: ParserState): string => {
  if (!takeCharacter(parser, '"')) {
    fail(parser);
    return '';
  }
  const { text, position } = parser;
  // Nearly every string is plain, and a loop is several times as fast as a regular expression.
  let end = position;
  let code = text.charCodeAt(end);
  while (code >= 0x20 && code !== quote && code !== backslash) {
    end += 1;
    code = text.charCodeAt(end);
  }
  if (code !== quote) return readEscapedString(parser);
  parser.position = end + 1;
  return text.slice(position, end);
};

const isDigit = (code: number): boolean => code >= zero && code <= nine;

const readNumber = <CustomNumber>(parser: ParserState<CustomNumber>): number | CustomNumber | null => {
  const { text, position } = parser;
  // Nearly every number is a short integer, which needs neither a regular expression nor a number reader.
  let end = position;
  let value = 0;
  for (let code = text.charCodeAt(end); isDigit(code); code = text.charCodeAt(end)) {
    value = value * 10 + code - zero;
    end += 1;
  }
  const length = end - position;
  const isWhole = !fractionOrExponent.has(text.charCodeAt(end));
  if (length > 0 && length <= exactDigits && isWhole && (length === 1 || text.charCodeAt(position) !== zero)) {
    parser.position = end;
    return value;
  }
  const digits = take(parser, numberPattern);
  return (digits === null ? null : parser.numberOf(digits)) ?? fail(parser);
};

const readLiteral = <Word>(parser: ParserState, literal: string, value: Word): Word | null => {
  if (!parser.text.startsWith(literal, parser.position)) return fail(parser);
  parser.position += literal.length;
  return value;
};

const readArray = <CustomNumber>(parser: ParserState<CustomNumber>, depth: number): Json<CustomNumber> => {
  const items: Json<CustomNumber>[] = [];
  parser.position += 1;
  skipSpace(parser);
  if (takeCharacter(parser, ']')) return items;
  while (!parser.failed) {
    items.push(readValue(parser, depth));
    if (takeCharacter(parser, ']')) return items;
    if (!takeCharacter(parser, ',')) fail(parser);
  }
  return null;
};

/** Defines a member, so that `__proto__` is an ordinary name. */
const addMember = <Value>(members: Record<string, Value>, name: string, value: Value): void => {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
};

const readObject = <CustomNumber>(parser: ParserState<CustomNumber>, depth: number): Json<CustomNumber> => {
  const members: Record<string, Json<CustomNumber>> = {};
  parser.position += 1;
  skipSpace(parser);
  if (takeCharacter(parser, '}')) return members;
  while (!parser.failed) {
    skipSpace(parser);
    const name = readString(parser);
    skipSpace(parser);
    if (Object.hasOwn(members, name) || !takeCharacter(parser, ':')) return fail(parser);
    addMember(members, name, readValue(parser, depth));
    if (takeCharacter(parser, '}')) return members;
    if (!takeCharacter(parser, ',')) fail(parser);
  }
  return null;
};

/** Reads a value and the white space around it. */
const readValue = <CustomNumber>(parser: ParserState<CustomNumber>, depth: number): Json<CustomNumber> => {
  skipSpace(parser);
  const value = readBareValue(parser, depth);
  skipSpace(parser);
  return value;
};

const readBareValue = <CustomNumber>(parser: ParserState<CustomNumber>, depth: number): Json<CustomNumber> => {
  switch (parser.text.charAt(parser.position)) {
    case '{':
      return depth < maximumJsonDepth ? readObject(parser, depth + 1) : fail(parser);
    case '[':
      return depth < maximumJsonDepth ? readArray(parser, depth + 1) : fail(parser);
    case '"':
      return readString(parser);
    case 't':
      return readLiteral(parser, 'true', true);
    case 'f':
      return readLiteral(parser, 'false', false);
    case 'n':
      return readLiteral(parser, 'null', null);
    default:
      return readNumber(parser);
  }
};

/** Like `parseStrictJsonObject`, with a custom reader of numbers. Non-negative integers of up to 15 digits skip it. */
export const parseStrictObject = <CustomNumber>(
  text: string,
  numberOf: NumberReader<CustomNumber>,
): Members<CustomNumber> | null => {
  const parser: ParserState<CustomNumber> = { text, numberOf, position: 0, failed: false };
  skipSpace(parser);
  if (parser.text.charAt(parser.position) !== '{') return null;
  const value = readValue(parser, 0);
  if (parser.failed || parser.position !== text.length) return null;
  return value as Members<CustomNumber>;
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
