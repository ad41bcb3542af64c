import { isXmlCodePoint } from './xml-characters.js';

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

/** What stands between `&` and `;` means; null: an entity that is not predefined, or no character (XML 1.0, section 4.1). */
const meaningOf = (name: string): string | null => {
  if (!name.startsWith('#')) return predefined.get(name) ?? null;
  const code = codePointOf(name);
  return code === null ? null : String.fromCodePoint(code);
};

/**
 * The text with the five predefined entities and character references replaced. Null: a reference to anything else, or an
 * ampersand that begins none.
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
