import { withXmlCharactersOnly } from './xml-characters.js';

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

/** The text as it stands between the double quotes of an attribute, white space kept. What XML cannot hold becomes U+FFFD. */
export const escapeAttribute = (text: string): string => escaped(text, /[&<>"\t\n\r]/g);
