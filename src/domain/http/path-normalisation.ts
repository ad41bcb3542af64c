import { err, ok, type Result } from '../shared/result.js';

/**
 * Whether a prefix matches a path by whole segments. `/v2` matches `/v2` and `/v2/x`, not `/v2x`. `/v2/`
 * matches `/v2/` and `/v2/x`, not `/v2`. `/` matches everything.
 */
export const prefixTakes = (prefix: string, path: string): boolean =>
  path.startsWith(prefix) &&
  (path.length === prefix.length || prefix.endsWith('/') || path.charCodeAt(prefix.length) === 0x2f);

/** The normalised path of a URI, without its query; null if invalid. */
export const requestPath = (uri: string): string | null => {
  const mark = uri.indexOf('?');
  const path = normalisePath(mark < 0 ? uri : uri.slice(0, mark));
  return path.ok ? path.value : null;
};

export type PathError = 'unsafe_path' | 'malformed_request';

/** Treatment of `%2F` and `%5C`. `keep`: they are part of a segment. `%00` is always refused. */
export type EncodedSeparators = 'refuse' | 'keep';

/** How a character of a path is treated. */
const refused = 0;
const unreserved = 1;
const kept = 2;
/** Not allowed raw in a URI, so always percent-encoded. */
const encoded = 3;

const classes = (() => {
  const table = new Uint8Array(128);
  for (let code = 0x21; code < 0x7f; code += 1) table[code] = kept;
  for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~') {
    table[letter.charCodeAt(0)] = unreserved;
  }
  for (const letter of '"<>^`{|}') table[letter.charCodeAt(0)] = encoded;
  for (const letter of '#?\\') table[letter.charCodeAt(0)] = refused;
  return table;
})();

const percent = 0x25;
const dot = 0x2e;
const slash = 0x2f;
const backslash = 0x5c;
const nul = 0;
const escapedSemicolon = '%3B';

/** The value of a hexadecimal digit, or -1. */
export const hexValue = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
};

/** The octet of the escape at `index`, or -1 if malformed. */
const escapedOctet = (text: string, index: number): number => {
  if (index + 2 >= text.length) return -1;
  const high = hexValue(text.charCodeAt(index + 1));
  const low = hexValue(text.charCodeAt(index + 2));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
};

const isUnreserved = (octet: number): boolean => octet < 128 && classes[octet] === unreserved;
const isSeparator = (octet: number): boolean => octet === slash || octet === backslash;
const isRefused = (octet: number, separators: EncodedSeparators): boolean =>
  octet === nul || (separators === 'refuse' && isSeparator(octet));
const isLowerHex = (code: number): boolean => code >= 0x61 && code <= 0x66;
const escapeOf = (octet: number): string => `%${octet < 16 ? '0' : ''}${octet.toString(16).toUpperCase()}`;

/** Whether normalisation keeps the escape at `index`. */
const isNormalEscape = (path: string, index: number, separators: EncodedSeparators): boolean => {
  const octet = escapedOctet(path, index);
  if (octet < 0 || isRefused(octet, separators) || isUnreserved(octet)) return false;
  return !isLowerHex(path.charCodeAt(index + 1)) && !isLowerHex(path.charCodeAt(index + 2));
};

/** Whether the segment at `index` starts like a dot segment. */
const beginsDotSegment = (path: string, index: number): boolean => {
  let end = index;
  while (end < path.length && end < index + 3 && path.charCodeAt(end) === dot) end += 1;
  const dots = end - index;
  if (dots === 0 || dots > 2) return false;
  return end === path.length || path[end] === '/' || path[end] === ';' || path.startsWith(escapedSemicolon, end);
};

/** Fast path without allocation: most paths are already normal. */
const isNormal = (path: string, separators: EncodedSeparators): boolean => {
  if (path.charCodeAt(0) !== slash) return false;
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    if (code === slash) {
      const next = path.charCodeAt(index + 1);
      if (next === slash || (next === dot && beginsDotSegment(path, index + 1))) return false;
    } else if (code === percent) {
      if (!isNormalEscape(path, index, separators)) return false;
    } else {
      const kind = code < 128 ? classes[code] : refused;
      if (kind !== unreserved && kind !== kept) return false;
    }
  }
  return true;
};

/**
 * Normalises every escape and character. Slashes and dots follow later.
 *
 * @param keepsCase `%2f` and `%5c` stay in lower case
 */
export const canonicalCharacters = (
  path: string,
  separators: EncodedSeparators,
  keepsCase = false,
): Result<string, PathError> => {
  let text = '';
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    if (code === percent) {
      const octet = escapedOctet(path, index);
      if (octet < 0) return err('malformed_request');
      if (isRefused(octet, separators)) return err('unsafe_path');
      if (isUnreserved(octet)) text += String.fromCharCode(octet);
      else text += keepsCase && isSeparator(octet) ? path.slice(index, index + 3) : escapeOf(octet);
      index += 2;
      continue;
    }
    if (code === backslash) return err('unsafe_path');
    const kind = code < 128 ? classes[code] : refused;
    if (kind === refused) return err('malformed_request');
    text += kind === encoded ? escapeOf(code) : path[index];
  }
  return ok(text);
};

/**
 * Whether a segment becomes `.` or `..` in servers that drop path parameters first, some of them after
 * decoding.
 */
export const hidesDots = (segment: string): boolean => {
  if (segment.charCodeAt(0) !== dot) return false;
  const end = segment.charCodeAt(1) === dot ? 2 : 1;
  return segment[end] === ';' || segment.startsWith(escapedSemicolon, end);
};

/** Removes dot segments (RFC 3986, section 5.2.4) and duplicate slashes; `..` at the root stays at the root. */
const resolveSegments = (path: string): Result<string, PathError> => {
  const segments: string[] = [];
  let endsInDirectory = true;
  for (const segment of path.split('/')) {
    endsInDirectory = segment === '' || segment === '.' || segment === '..';
    if (segment === '..') segments.pop();
    else if (hidesDots(segment)) return err('unsafe_path');
    else if (!endsInDirectory) segments.push(segment);
  }
  if (segments.length === 0) return ok('/');
  return ok(`/${segments.join('/')}${endsInDirectory ? '/' : ''}`);
};

/**
 * The canonical form of a path (RFC 3986, section 6.2.2): duplicate slashes merged, then dot
 * segments resolved, as file systems do. Escapes of unreserved characters are decoded, others in
 * upper case. The result is routed, sent to agents, authorised and forwarded.
 *
 * `unsafe_path`: `%2F`, `%5C`, `%00`, a backslash, or `..;` and `..%3B`, which an upstream could
 * read as a separator or a climb. `malformed_request`: a broken escape, a control character, an
 * octet beyond ASCII, no slash at the start. Normalisation is idempotent. `*` (OPTIONS) stays
 * unchanged.
 *
 * @param separators `keep`: `%2F` and `%5C` stay, in upper case. Such a path is safe only without `decodesToUnsafeSegments`
 */
export const normalisePath = (path: string, separators: EncodedSeparators = 'refuse'): Result<string, PathError> => {
  if (isNormal(path, separators)) return ok(path);
  if (path === '*') return ok(path);
  if (path.charCodeAt(0) !== slash) return err('malformed_request');
  const text = canonicalCharacters(path, separators);
  return text.ok ? resolveSegments(text.value) : text;
};
