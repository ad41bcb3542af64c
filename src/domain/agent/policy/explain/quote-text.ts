const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
};

const hexadecimal = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** A text as a string of Cedar, in quotes. What does not show, or turns the direction of text, is escaped. */
export const quoteText = (text: string): string =>
  `"${text.replace(/["\\]|[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => escapes[character] ?? hexadecimal(character))}"`;

/** Text of a `like` pattern, with its own stars escaped. */
export const quotePatternText = (text: string): string => quoteText(text).slice(1, -1).replaceAll('*', '\\*');
