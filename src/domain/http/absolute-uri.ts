import { parseIpAddress } from './ip-address.js';

interface UrlComponents {
  /** Scheme and authority, as in `https://app.example`. */
  readonly origin: string;
  /** Without query and fragment; `/` if empty. */
  readonly path: string;
}

/** Splits an absolute http or https URL (RFC 3986). The caller has validated it. */
export const urlParts = (url: string): UrlComponents => {
  const authority = url.indexOf('://') + '://'.length;
  const end = (marks: readonly string[], from: number): number =>
    Math.min(url.length, ...marks.map((mark) => url.indexOf(mark, from)).filter((index) => index >= 0));
  const path = end(['/', '?', '#'], authority);
  return { origin: url.slice(0, path), path: url.slice(path, end(['?', '#'], path)) || '/' };
};

const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]*$/;
const hexPattern = /^[0-9A-Fa-f]{2}$/;
const digitsPattern = /^[0-9]*$/;

/** `unreserved` and `sub-delims` (RFC 3986, sections 2.2 and 2.3). */
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=";
const nameCharacters: ReadonlySet<string> = new Set(plain);
const userInfoCharacters: ReadonlySet<string> = new Set(`${plain}:`);
const pathCharacters: ReadonlySet<string> = new Set(`${plain}:@/`);
const queryCharacters: ReadonlySet<string> = new Set(`${plain}:@/?`);

/** Whether a text has only these characters and complete percent-escapes. */
const consistsOf = (text: string, characters: ReadonlySet<string>): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '%' && hexPattern.test(text.slice(index + 1, index + 3))) index += 2;
    else if (!characters.has(character)) return false;
  }
  return true;
};

/** Index of the first `mark`; the length of the text if there is none. */
const indexOrEnd = (text: string, mark: string): number => {
  const index = text.indexOf(mark);
  return index < 0 ? text.length : index;
};

/** Empty, or a colon with optional digits (RFC 3986, section 3.2.3). */
const isPort = (text: string): boolean => text === '' || (text.startsWith(':') && digitsPattern.test(text.slice(1)));

/** A bracketed address must be IPv6. Later address formats (`[v1.x]`) are refused. */
const isHostWithPort = (text: string): boolean => {
  if (!text.startsWith('[')) {
    const end = indexOrEnd(text, ':');
    return consistsOf(text.slice(0, end), nameCharacters) && isPort(text.slice(end));
  }
  const end = text.indexOf(']');
  const address = text.slice(1, Math.max(end, 1));
  return address.includes(':') && parseIpAddress(address) !== null && isPort(text.slice(end + 1));
};

const isAuthority = (text: string): boolean => {
  const at = text.indexOf('@');
  return consistsOf(text.slice(0, Math.max(at, 0)), userInfoCharacters) && isHostWithPort(text.slice(at + 1));
};

/**
 * Whether a text is an absolute URI, which has a scheme and no fragment (RFC 3986, section 4.3). Linear in its
 * length.
 */
export const isAbsoluteUri = (text: string): boolean => {
  const colon = indexOrEnd(text, ':');
  if (colon === text.length || !schemePattern.test(text.slice(0, colon))) return false;
  const rest = text.slice(colon + 1);
  const query = indexOrEnd(rest, '?');
  if (!consistsOf(rest.slice(query + 1), queryCharacters)) return false;
  const hierarchy = rest.slice(0, query);
  if (!hierarchy.startsWith('//')) return consistsOf(hierarchy, pathCharacters);
  const path = hierarchy.indexOf('/', 2);
  const end = path < 0 ? hierarchy.length : path;
  return isAuthority(hierarchy.slice(2, end)) && consistsOf(hierarchy.slice(end), pathCharacters);
};
