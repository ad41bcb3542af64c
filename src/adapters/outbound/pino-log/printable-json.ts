/** DEL, the C1 controls and the two separators: JSON lets them through, some terminals and readers obey them. */
const unprintable = /[\u007f-\u009f\u2028\u2029]/g;

/** ASCII that JSON writes as it is. */
const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The same JSON, with every character that could act on a terminal written as an escape. */
export const printableJson = (json: string): string => json.replace(unprintable, escaped);

/** A text as it stands between the quotes of a string of JSON with such escapes. What most texts are takes a third of the time. */
export const jsonCharacters = (text: string): string =>
  plain.test(text) ? text : printableJson(JSON.stringify(text)).slice(1, -1);

/** A text as a string of JSON with such escapes. */
export const jsonText = (text: string): string => `"${jsonCharacters(text)}"`;

/** A text with every control character written as an escape, for output that is no JSON. */
export const printableLogText = (text: string): string => jsonCharacters(text).replaceAll('\\"', '"');
