/**
 * DEL, C1 controls and the two separators: valid in JSON, but some terminals and readers obey them.
 */
const unprintable = /[\u007f-\u009f\u2028\u2029]/g;

/** ASCII that JSON does not escape. */
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The same JSON with all characters escaped that could control a terminal. */
export const printableJson = (json: string): string => json.replace(unprintable, escaped);

/** The content of a JSON string with such escapes; plain texts take a third of the time. */
export const jsonCharacters = (text: string): string =>
  plain.test(text) ? text : printableJson(JSON.stringify(text)).slice(1, -1);

/** A JSON string with such escapes. */
export const jsonText = (text: string): string => `"${jsonCharacters(text)}"`;

/** A text with all control characters escaped, for output other than JSON. */
export const printableLogText = (text: string): string => jsonCharacters(text).replaceAll('\\"', '"');
