import type { DistinguishedName, NameAttribute } from '../../shared/certificate.js';
import { err, ok, type Result } from '../../shared/result.js';
import { isWellFormed } from '../../shared/well-formed.js';
import { attributeNameOf, attributeTypeOf, ignoresCase, isObjectIdentifier } from './attribute-types.js';
import { type AttributeText, readAttributeValue, skipSpaces, writeAttributeText } from './attribute-value.js';
import { utf8StringHex } from './der-text.js';
import { foldDirectoryText } from './directory-text.js';

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
