import { err, ok, type Result } from '../../../shared/result.js';
import { quotedName } from '../shortened-text.js';
import { longFromDecimalText } from '../values/long.js';
import { type ExactJson, UnusableNumber } from './exact-json.js';
import { TextReading } from './text-reading.js';

/** Arrays and objects within each other, at the most. */
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
 * Reads JSON (RFC 8259) with all the digits of its integers. Stricter than the standard: a key may be there only once in an
 * object, nesting is bounded, and a string has no half of a surrogate pair. The error says where, by line and by key:
 * `line 3, column 9 (at [0].attrs): the key "age" is there twice`.
 */
export const parseExactJson = (text: string): Result<ExactJson, string> => {
  const reading = new TextReading(text);
  const value = readValue(reading, 0);
  if (!reading.hasFailed && reading.position < text.length) reading.fail('the end of the text was expected');
  return reading.failure === null ? ok(value) : err(reading.failure);
};
