import type { DistinguishedName, NameAttribute } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { decodeUtf8, isWellFormed } from '../../shared/utf8.js';
import { attributeNameOf, attributeTypeOf, ignoresCase, isObjectIdentifier } from './attribute-types.js';
import { readDerValue, stringOfDer, utf8StringHex } from './der-text.js';

/** A name in text, and how far it has been read. */
interface AttributeText {
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
const skipSpaces = (source: AttributeText): void => {
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
const readAttributeValue = (source: AttributeText): Result<AttributeValue, string> => {
  const first = source.text[source.index];
  const value = first === '#' ? readDer(source) : readText(source, first === '"');
  if (!value.ok) return value;
  skipSpaces(source);
  const next = source.text[source.index];
  return next === undefined || separators.includes(next) ? value : err('has something between a value and a separator');
};

/** Writes a value so that it is read as it is (RFC 4514, section 2.4); control characters in hexadecimal. */
const writeAttributeText = (value: string): string => {
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

const nonAscii = /[^\x00-\x7f]/;

/** The one character whose capital is that of another letter, while Unicode's case folding keeps the two apart. */
const dotlessI = '\u0131';

/**
 * Without case, by way of capitals, so that `ß` is `ss`; but `admın` is not `admin`. A capital sigma would become one
 * of two small ones by its place in the word, so it is made the usual one before.
 */
const foldCase = (text: string): string =>
  text
    .split(dotlessI)
    .map((part) => part.toUpperCase().replaceAll('Σ', 'σ').toLowerCase())
    .join(dotlessI);

/**
 * Without spaces at the ends, and with one for each run of them. Split, because a pattern for the end could
 * backtrack.
 */
const foldSpaces = (text: string): string => {
  if (!text.includes(' ')) return text;
  return text
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');
};

/**
 * The form in which two texts are equal that caseIgnoreMatch calls so (RFC 4518; RFC 5280, section 7.1): NFKC, without
 * case, without regard to how many spaces there are and to those at the ends.
 *
 * It departs from RFC 4518 where following it would let two names meet that look alike or are read differently
 * elsewhere: control characters, soft hyphens, zero-width characters and variation selectors are not dropped, and tabs
 * and line ends are no spaces. They count as they are.
 */
export const foldDirectoryText = (text: string): string =>
  foldSpaces(nonAscii.test(text) ? foldCase(text.normalize('NFKC')).normalize('NFKC') : text.toLowerCase());

/** Characters of a name in text, at most. */
export const maximumDistinguishedNameLength = 4096;

const isTypeCharacter = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x2d ||
  code === 0x2e;

/**
 * The object identifier of a type as written: a name, dotted numbers, or those with `OID.` before them (RFC 2253,
 * section 4).
 */
const readType = (written: string): string | null => {
  const dotted = written.toLowerCase().startsWith('oid.') ? written.slice(4) : written;
  return isObjectIdentifier(dotted) ? dotted : attributeTypeOf(written);
};

const readAttribute = (source: AttributeText): Result<NameAttribute, string> => {
  skipSpaces(source);
  const start = source.index;
  while (isTypeCharacter(source.text.charCodeAt(source.index))) source.index += 1;
  const written = source.text.slice(start, source.index);
  skipSpaces(source);
  if (written === '' || source.text[source.index] !== '=') {
    return err(`has no TYPE=value at character ${start + 1}`);
  }
  source.index += 1;
  const type = readType(written);
  if (type === null) return err(`has the unknown attribute type "${written}": write its object identifier`);
  skipSpaces(source);
  const value = readAttributeValue(source);
  return value.ok ? ok({ type, ...value.value }) : value;
};

/**
 * Reads a distinguished name in text, the most specific relative name first (RFC 4514, section 3), into the order of
 * the certificate. What RFC 2253, section 4, has readers accept is accepted too: spaces around the separators, `;` for
 * `,`, values in quotes, and `OID.` before dotted numbers. A value in hexadecimal DER that is a string becomes its
 * text. The name of no parts is refused: it would allow every certificate without a subject. Linear in the length. The
 * error is one clause, as in `is empty`.
 */
export const parseDistinguishedName = (text: string): Result<DistinguishedName, string> => {
  if (text.trim() === '') return err('is empty');
  if (text.length > maximumDistinguishedNameLength)
    return err(`is longer than ${maximumDistinguishedNameLength} characters`);
  if (!isWellFormed(text)) return err('has half of a surrogate pair');
  if (text.startsWith('/'))
    return err('begins with "/": write it as in "CN=api,O=Example", the most specific part first');
  const source: AttributeText = { text, index: 0 };
  const names: NameAttribute[][] = [];
  let separator: string | undefined = ',';
  while (separator !== undefined) {
    const attribute = readAttribute(source);
    if (!attribute.ok) return attribute;
    if (separator === '+') names.at(-1)?.push(attribute.value);
    else names.push([attribute.value]);
    separator = text[source.index];
    source.index += 1;
  }
  return ok(names.reverse());
};

const formatAttribute = ({ type, isText, value }: NameAttribute): string => {
  const name = attributeNameOf(type);
  if (!isText) return `${name ?? type}=#${value}`;
  // Without a name for the type its values are written as DER (RFC 4514, section 2.4).
  return name === null ? `${type}=#${utf8StringHex(value)}` : `${name}=${writeAttributeText(value)}`;
};

/**
 * A name in text (RFC 4514, section 2): the most specific relative name first, no spaces around separators. Types
 * beyond those of section 3 have the names of attribute-types.ts, any other its object identifier and its value as the
 * DER of a UTF8String. Control characters are written in hexadecimal.
 */
export const formatDistinguishedName = (name: DistinguishedName): string =>
  name
    .map((attributes) => attributes.map(formatAttribute).join('+'))
    .reverse()
    .join(',');

/** With the length before the value, so that no value can look like the end of itself and the begin of another. */
const attributeKey = ({ type, isText, value }: NameAttribute): string => {
  const compared = isText && ignoresCase(type) ? foldDirectoryText(value) : value;
  return `${type}${isText ? '=' : '#'}${compared.length}:${compared}`;
};

/**
 * A text that two names share if and only if they mean the same: the same relative names in the same order, whatever
 * the order inside each. Values of the types that have names are compared by `foldDirectoryText`; those of other
 * types, whose rules are not known, and those that are no strings, exactly.
 */
export const nameKey = (name: DistinguishedName): string =>
  name.map((attributes) => `${attributes.length}(${attributes.map(attributeKey).sort().join('')})`).join('');
