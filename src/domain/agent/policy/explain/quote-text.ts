const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
};

const hexadecimal = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** A quoted Cedar string. Escapes invisible characters and characters that change the text direction. */
export const quoteText = (text: string): string =>
  `"${text.replace(/["\\]|[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => escapes[character] ?? hexadecimal(character))}"`;

/** Literal text of a `like` pattern, with stars escaped. */
export const quotePatternText = (text: string): string => quoteText(text).slice(1, -1).replaceAll('*', '\\*');
