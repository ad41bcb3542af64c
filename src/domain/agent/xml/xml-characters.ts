const predefined: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** `&#x10FFFF;` and a few zeros: no reference is longer. */
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
 * What stands between `&` and `;` means; null: an entity that is not predefined, or no character (XML 1.0, section
 * 4.1).
 */
const meaningOf = (name: string): string | null => {
  if (!name.startsWith('#')) return predefined.get(name) ?? null;
  const code = codePointOf(name);
  return code === null ? null : String.fromCodePoint(code);
};

/**
 * The text with the five predefined entities and character references replaced. Null: a reference to anything else,
 * or an ampersand that begins none.
 */
export const decodeReferences = (text: string): string | null => {
  let from = 0;
  let decoded = '';
  for (let index = text.indexOf('&'); index >= 0; index = text.indexOf('&', from)) {
    // The name is looked for in a few characters only: a text of ampersands costs no more than its length.
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

/** The text as it stands between tags. What XML cannot hold becomes U+FFFD. */
export const escapeText = (text: string): string => escaped(text, /[&<>\r]/g);

/**
 * The text as it stands between the double quotes of an attribute, white space kept. What XML cannot hold becomes
 * U+FFFD.
 */
export const escapeAttribute = (text: string): string => escaped(text, /[&<>"\t\n\r]/g);

const whiteSpace = /[ \t\n\r]+/;

/**
 * The value of a text whose type collapses white space, as xs:anyURI does (XML Schema part 2, section 4.3.6): none
 * around it, one space for each run within. Only the four characters that XML counts as white space.
 */
export const collapseWhiteSpace = (text: string): string =>
  text
    .split(whiteSpace)
    .filter((word) => word !== '')
    .join(' ');

/** With the flag `u` half a pair of surrogates is a character of its own, which is none of these. */
const foreign = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Whether the text has nothing but what XML can hold (XML 1.0, section 2.2). */
export const hasXmlCharactersOnly = (text: string): boolean => !foreign.test(text);

/** Whether a code point is one that XML can hold. */
export const isXmlCodePoint = (code: number): boolean =>
  code === 0x9 ||
  code === 0xa ||
  code === 0xd ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff);

/** The same text with U+FFFD in place of each character that XML cannot hold. */
export const withXmlCharactersOnly = (text: string): string =>
  hasXmlCharactersOnly(text) ? text : text.replace(new RegExp(foreign, 'gu'), '\ufffd');

/** Whether the UTF-16 code unit is white space (XML 1.0, section 2.3). */
export const isWhiteSpace = (unit: number): boolean => unit === 0x20 || unit === 0xa || unit === 0xd || unit === 0x9;

/** Whether the text is white space and nothing else, or empty. */
export const isBlank = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) if (!isWhiteSpace(text.charCodeAt(index))) return false;
  return true;
};
