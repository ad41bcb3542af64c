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
