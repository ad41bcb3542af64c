import type { NameAttribute } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { decodeUtf8 } from '../../shared/utf8.js';
import { readDerValue, stringOfDer } from './der-text.js';

/** A name in text, and how far it has been read. */
export interface AttributeText {
  readonly text: string;
  index: number;
}

type AttributeValue = Pick<NameAttribute, 'isText' | 'value'>;

const separators = ',;+';
/** What may follow a backslash as itself (RFC 4514, section 3). */
const escapable = '"+,;<>\\ #=';

const isControl = (character: string): boolean => character < ' ' || character === '\x7f';

const controlProblem = 'has a control character: write it as a backslash and two hexadecimal digits';

/** Spaces mean nothing around a separator. */
export const skipSpaces = (source: AttributeText): void => {
  while (source.text[source.index] === ' ') source.index += 1;
};

const hexDigit = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
};

/** The octet that two hexadecimal digits at `index` stand for, or -1. */
const hexPair = (text: string, index: number): number => {
  const high = hexDigit(text.charCodeAt(index));
  const low = hexDigit(text.charCodeAt(index + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
};

/** Reads what a backslash stands for: one character, or as many octets in hexadecimal as follow each other. */
const readEscape = (source: AttributeText): Result<string, string> => {
  const escaped = source.text[source.index + 1];
  if (escaped !== undefined && escapable.includes(escaped)) {
    source.index += 2;
    return ok(escaped);
  }
  const octets: number[] = [];
  while (source.text[source.index] === '\\') {
    const octet = hexPair(source.text, source.index + 1);
    if (octet < 0) break;
    octets.push(octet);
    source.index += 3;
  }
  if (octets.length === 0) return err('has a backslash before neither a special character nor two hexadecimal digits');
  const text = decodeUtf8(Uint8Array.from(octets));
  return text === null ? err('has hexadecimal octets that are no UTF-8') : ok(text);
};

const readQuoted = (source: AttributeText): Result<string, string> => {
  let value = '';
  source.index += 1;
  for (;;) {
    const character = source.text[source.index];
    if (character === undefined) return err('has a quote that is not closed');
    if (character === '\\') {
      const escaped = readEscape(source);
      if (!escaped.ok) return escaped;
      value += escaped.value;
      continue;
    }
    if (isControl(character)) return err(controlProblem);
    source.index += 1;
    if (character === '"') return ok(value);
    value += character;
  }
};

const readPlain = (source: AttributeText): Result<string, string> => {
  let value = '';
  // Up to where the value reaches if only spaces follow that no backslash keeps.
  let kept = 0;
  for (;;) {
    const character = source.text[source.index];
    if (character === undefined || separators.includes(character)) return ok(value.slice(0, kept));
    if (character === '\\') {
      const escaped = readEscape(source);
      if (!escaped.ok) return escaped;
      value += escaped.value;
      kept = value.length;
      continue;
    }
    if (isControl(character)) return err(controlProblem);
    if ('"<>'.includes(character)) return err(`has "${character}" without a backslash before it`);
    source.index += 1;
    value += character;
    if (character !== ' ') kept = value.length;
  }
};

const readDer = (source: AttributeText): Result<AttributeValue, string> => {
  const start = source.index + 1;
  const octets: number[] = [];
  for (;;) {
    const octet = hexPair(source.text, start + octets.length * 2);
    if (octet < 0) break;
    octets.push(octet);
  }
  source.index = start + octets.length * 2;
  const der = readDerValue(Uint8Array.from(octets));
  if (der === null) return err('has a "#" before what is not one value in hexadecimal DER');
  const string = stringOfDer(der.tag, der.contents);
  if (string !== null) return ok({ isText: true, value: string });
  return ok({ isText: false, value: source.text.slice(start, source.index).toLowerCase() });
};

const readText = (source: AttributeText, isQuoted: boolean): Result<AttributeValue, string> => {
  const text = isQuoted ? readQuoted(source) : readPlain(source);
  return text.ok ? ok({ isText: true, value: text.value }) : text;
};

/** Reads a value up to a separator or the end (RFC 4514, section 3; RFC 2253, section 4, for quotes). */
export const readAttributeValue = (source: AttributeText): Result<AttributeValue, string> => {
  const first = source.text[source.index];
  const value = first === '#' ? readDer(source) : readText(source, first === '"');
  if (!value.ok) return value;
  skipSpaces(source);
  const next = source.text[source.index];
  return next === undefined || separators.includes(next) ? value : err('has something between a value and a separator');
};

/** Writes a value so that it is read as it is (RFC 4514, section 2.4); control characters in hexadecimal. */
export const writeAttributeText = (value: string): string => {
  let written = '';
  for (let index = 0; index < value.length; index += 1) {
    const character = value[index] as string;
    const isAtEdge = index === 0 || index === value.length - 1;
    if (isControl(character)) written += `\\${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
    else if ('"+,;<>\\'.includes(character)) written += `\\${character}`;
    else if ((character === ' ' && isAtEdge) || (character === '#' && index === 0)) written += `\\${character}`;
    else written += character;
  }
  return written;
};
