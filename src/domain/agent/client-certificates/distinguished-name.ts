import type { DistinguishedName, NameAttribute } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { isWellFormed } from '../../shared/well-formed.js';
import { attributeNameOf, attributeTypeOf, ignoresCase, isObjectIdentifier } from './attribute-types.js';
import { type AttributeText, readAttributeValue, skipSpaces, writeAttributeText } from './attribute-value.js';
import { utf8StringHex } from './der-text.js';

const nonAscii = /[^\x00-\x7f]/;

/** The one character whose capital is that of another letter, while Unicode's case folding keeps the two apart. */
const dotlessI = '\u0131';

/**
 * Without case, by way of capitals, so that `ß` is `ss`; but `admın` is not `admin`. A capital sigma would become one of
 * two small ones by its place in the word, so it is made the usual one before.
 */
const foldCase = (text: string): string =>
  text
    .split(dotlessI)
    .map((part) => part.toUpperCase().replaceAll('Σ', 'σ').toLowerCase())
    .join(dotlessI);

/** Without spaces at the ends, and with one for each run of them. Split, because a pattern for the end could backtrack. */
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

/** Characters of a name in text, at the most. */
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
