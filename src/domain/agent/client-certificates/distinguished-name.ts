import type { DistinguishedName, NameAttribute } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { decodeUtf8, isWellFormed } from '../../shared/utf8.js';
import { attributeNameOf, attributeTypeOf, ignoresCase, isObjectIdentifier } from './attribute-types.js';
import { readDerValue, stringOfDer, utf8StringHex } from './der-text.js';

/** The text of a name, and the current position. */
interface AttributeText {
  readonly text: string;
  index: number;
}

type AttributeValue = Pick<NameAttribute, 'isText' | 'value'>;

const separators = ',;+';
/** Characters that may follow a backslash (RFC 4514, section 3). */
const escapable = '"+,;<>\\ #=';

const isControl = (character: string): boolean => character < ' ' || character === '\x7f';

const controlProblem = 'has a control character: write it as a backslash and two hexadecimal digits';

/** Spaces around separators are ignored. */
const skipSpaces = (source: AttributeText): void => {
  while (source.text[source.index] === ' ') source.index += 1;
};

const hexDigit = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
};

/** The octet of two hexadecimal digits at `index`, or -1. */
const hexPair = (text: string, index: number): number => {
  const high = hexDigit(text.charCodeAt(index));
  const low = hexDigit(text.charCodeAt(index + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
};

/** Reads an escape: one character, or a sequence of hexadecimal octets. */
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
  if (octets.length === 0)
    return err('has a backslash that is not followed by a special character or two hexadecimal digits');
  const text = decodeUtf8(Uint8Array.from(octets));
  return text === null ? err('has hexadecimal octets that are not UTF-8') : ok(text);
};

const readQuoted = (source: AttributeText): Result<string, string> => {
  let value = '';
  source.index += 1;
  for (;;) {
    const character = source.text[source.index];
    if (character === undefined) return err('has an unclosed quote');
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
  // The end of the value without trailing spaces, unless escaped.
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
  if (der === null) return err('has a "#" that is not followed by one value in hexadecimal DER');
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

/** Escapes a value so that it is read unchanged (RFC 4514, section 2.4); control characters in hexadecimal. */
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

/** The one character whose upper case is another letter's, although Unicode case folding distinguishes them. */
const dotlessI = '\u0131';

/**
 * Folds case through upper case, so that `ß` equals `ss`, but `admın` differs from `admin`. Final sigma is normalised
 * first, because lower case depends on its position.
 */
const foldCase = (text: string): string =>
  text
    .split(dotlessI)
    .map((part) => part.toUpperCase().replaceAll('Σ', 'σ').toLowerCase())
    .join(dotlessI);

/** Trims spaces and collapses runs. Uses split, because a pattern for the end could backtrack. */
const foldSpaces = (text: string): string => {
  if (!text.includes(' ')) return text;
  return text
    .split(' ')
    .filter((word) => word !== '')
    .join(' ');
};

/**
 * The form in which texts that match under caseIgnoreMatch are equal (RFC 4518; RFC 5280, section 7.1): NFKC,
 * case-folded, with collapsed and trimmed spaces.
 * Deviates from RFC 4518 where names that look alike or are read differently elsewhere would match: keeps control
 * characters, soft hyphens, zero-width characters and variation selectors, and does not treat tabs and line ends as
 * spaces.
 */
export const foldDirectoryText = (text: string): string =>
  foldSpaces(nonAscii.test(text) ? foldCase(text.normalize('NFKC')).normalize('NFKC') : text.toLowerCase());

/** Maximum characters of a name in text form. */
export const maximumDistinguishedNameLength = 4096;

const isTypeCharacter = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x2d ||
  code === 0x2e;

/** The object identifier of a written type: a name, or dotted numbers, optionally with `OID.` (RFC 2253, section 4). */
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
    return err(`lacks a TYPE=value at character ${start + 1}`);
  }
  source.index += 1;
  const type = readType(written);
  if (type === null) return err(`has the unknown attribute type "${written}": write its object identifier`);
  skipSpaces(source);
  const value = readAttributeValue(source);
  return value.ok ? ok({ type, ...value.value }) : value;
};

/**
 * Parses a distinguished name in text form, most specific part first (RFC 4514, section 3), into certificate order.
 * Also accepts what RFC 2253, section 4, allows: spaces around separators, `;` for `,`, quoted values, and `OID.`
 * before dotted numbers. A string in hexadecimal DER becomes its text. Refuses the empty name, which would allow every
 * certificate without a subject. Linear in the length. The error is one clause, as in `is empty`.
 */
export const parseDistinguishedName = (text: string): Result<DistinguishedName, string> => {
  if (text.trim() === '') return err('is empty');
  if (text.length > maximumDistinguishedNameLength)
    return err(`is longer than ${maximumDistinguishedNameLength} characters`);
  if (!isWellFormed(text)) return err('has half of a surrogate pair');
  if (text.startsWith('/')) return err('begins with "/": write it as in "CN=api,O=Example", most specific part first');
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
  // Values of unnamed types are written as DER (RFC 4514, section 2.4).
  return name === null ? `${type}=#${utf8StringHex(value)}` : `${name}=${writeAttributeText(value)}`;
};

/**
 * Formats a name as text (RFC 4514, section 2): most specific part first, no spaces around separators. Uses the type
 * names of attribute-types.ts; other types appear as object identifier, with a UTF8String in DER as value. Control
 * characters are hexadecimal.
 */
export const formatDistinguishedName = (name: DistinguishedName): string =>
  name
    .map((attributes) => attributes.map(formatAttribute).join('+'))
    .reverse()
    .join(',');

/** Includes the length, so that no value can imitate the end of itself and the start of another. */
const attributeKey = ({ type, isText, value }: NameAttribute): string => {
  const compared = isText && ignoresCase(type) ? foldDirectoryText(value) : value;
  return `${type}${isText ? '=' : '#'}${compared.length}:${compared}`;
};

/**
 * A key that is equal for exactly the equal names: the same parts in order, each with the same attributes in any order.
 * Values of named types are compared by `foldDirectoryText`; others, and values that are not strings, exactly.
 */
export const nameKey = (name: DistinguishedName): string =>
  name.map((attributes) => `${attributes.length}(${attributes.map(attributeKey).sort().join('')})`).join('');
