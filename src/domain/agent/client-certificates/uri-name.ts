/** Characters of a URI, at the most. */
const maximumLength = 2048;

const isLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);

const isSchemeCharacter = (code: number): boolean =>
  isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e;

/** How long the scheme before the first colon is; 0 where there is none (RFC 3986, section 3.1). */
export const schemeLength = (text: string): number => {
  if (!isLetter(text.charCodeAt(0))) return 0;
  let length = 1;
  while (isSchemeCharacter(text.charCodeAt(length))) length += 1;
  return text[length] === ':' ? length : 0;
};

/** Visible ASCII but what RFC 3986 leaves out, which some reader or other would take for the end of the URI. */
const isUriCharacter = (character: string): boolean =>
  character > ' ' && character < '\x7f' && !'"<>\\^`{|}'.includes(character);

/** Where the authority ends, whose begin is `start`. */
const authorityEnd = (text: string, start: number): number => {
  let index = start;
  while (index < text.length && !'/?#'.includes(text[index] as string)) index += 1;
  return index;
};

/**
 * A URI with its scheme and host in lower case, otherwise as it is (RFC 5280, section 7.4, without the percent-encoding
 * and the dots in paths: what is spelt in another way is another name); null where it is none.
 */
export const uriName = (text: string): string | null => {
  const length = schemeLength(text);
  if (length === 0 || length + 1 === text.length || text.length > maximumLength) return null;
  for (const character of text) if (!isUriCharacter(character)) return null;
  const scheme = text.slice(0, length + 1).toLowerCase();
  if (!text.startsWith('//', length + 1)) return scheme + text.slice(length + 1);
  const start = length + 3;
  const end = authorityEnd(text, start);
  const authority = text.slice(start, end);
  // What stands before the last @ is user information, whose case counts.
  const host = authority.lastIndexOf('@') + 1;
  return `${scheme}//${authority.slice(0, host)}${authority.slice(host).toLowerCase()}${text.slice(end)}`;
};
