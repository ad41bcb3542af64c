const predefined: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Maximum length of a reference: `&#x10FFFF;` and a few zeros. */
const greatestLength = 12;
const decimalDigits = /^[0-9]+$/;
const hexadecimalDigits = /^[0-9A-Fa-f]+$/;

const codePointOf = (name: string): number | null => {
  const isHexadecimal = name.startsWith('#x');
  const digits = name.slice(isHexadecimal ? 2 : 1);
  if (!(isHexadecimal ? hexadecimalDigits : decimalDigits).test(digits)) return null;
  const code = Number.parseInt(digits, isHexadecimal ? 16 : 10);
  return isXmlCodePoint(code) ? code : null;
};

/**
 * The meaning of a reference's name; null: an entity that is not predefined, or no valid character (XML 1.0, section
 * 4.1).
 */
const meaningOf = (name: string): string | null => {
  if (!name.startsWith('#')) return predefined.get(name) ?? null;
  const code = codePointOf(name);
  return code === null ? null : String.fromCodePoint(code);
};

/** Resolves character references and the five predefined entities. Null: another reference, or a stray ampersand. */
export const decodeReferences = (text: string): string | null => {
  let from = 0;
  let decoded = '';
  for (let index = text.indexOf('&'); index >= 0; index = text.indexOf('&', from)) {
    // Searches only a few characters for the end, so that many ampersands cost linear time.
    const length = text.slice(index, index + greatestLength).indexOf(';');
    const meaning = length < 0 ? null : meaningOf(text.slice(index + 1, index + length));
    if (meaning === null) return null;
    decoded += text.slice(from, index) + meaning;
    from = index + length + 1;
  }
  return from === 0 ? text : decoded + text.slice(from);
};

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const escaped = (text: string, pattern: RegExp): string =>
  withXmlCharactersOnly(text).replace(pattern, (character) => references[character] ?? character);

/** Escapes text for element content. Characters that XML does not allow become U+FFFD. */
export const escapeText = (text: string): string => escaped(text, /[&<>\r]/g);

/**
 * Escapes text for a double-quoted attribute, preserving white space. Characters that XML does not allow become U+FFFD.
 */
export const escapeAttribute = (text: string): string => escaped(text, /[&<>"\t\n\r]/g);

const whiteSpace = /[ \t\n\r]+/;

/**
 * Collapses white space as for xs:anyURI (XML Schema part 2, section 4.3.6): trims it and replaces each run by one
 * space. Only the four characters that XML counts as white space.
 */
export const collapseWhiteSpace = (text: string): string =>
  text
    .split(whiteSpace)
    .filter((word) => word !== '')
    .join(' ');

/** With the flag `u`, a lone surrogate is one character, which is not in this set. */
const foreign = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Whether XML allows all characters of the text (XML 1.0, section 2.2). */
export const hasXmlCharactersOnly = (text: string): boolean => !foreign.test(text);

/** Whether XML allows the code point. */
export const isXmlCodePoint = (code: number): boolean =>
  code === 0x9 ||
  code === 0xa ||
  code === 0xd ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff);

/** Replaces characters that XML does not allow by U+FFFD. */
export const withXmlCharactersOnly = (text: string): string =>
  hasXmlCharactersOnly(text) ? text : text.replace(new RegExp(foreign, 'gu'), '\ufffd');

/** Whether the UTF-16 code unit is white space (XML 1.0, section 2.3). */
export const isWhiteSpace = (unit: number): boolean => unit === 0x20 || unit === 0xa || unit === 0xd || unit === 0x9;

/** Whether the text is empty or only white space. */
export const isBlank = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) if (!isWhiteSpace(text.charCodeAt(index))) return false;
  return true;
};
