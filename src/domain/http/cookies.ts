import type { HeaderOperation } from '../agent-protocol/messages.js';
import { trimSpace } from './field-syntax.js';
import { allHeaders, type HeaderList } from './header-list.js';

/**
 * A Set-Cookie field (RFC 6265, section 4.1). The cookie applies to every path of this host and, without a domain, to
 * no other host.
 */
export interface CookieToSet {
  /** A token. */
  readonly name: string;
  /** All hosts under it receive the cookie; absent or null: only this host. */
  readonly domain?: string | null;
  /** base64url characters only; empty to clear the cookie. */
  readonly value: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: 'Strict' | 'Lax' | 'None';
  /** Null for a session cookie; 0 clears the cookie. */
  readonly maxAgeSecs: number | null;
}

/** The name in a `name=value` pair. Without `=` the whole text is the name, as lenient servers read it. */
const nameOf = (pair: string): string => {
  const equals = pair.indexOf('=');
  return equals < 0 ? pair : trimSpace(pair.slice(0, equals));
};

const pairsOf = (headers: HeaderList): string[] =>
  allHeaders(headers, 'cookie').flatMap((field) =>
    field
      .split(';')
      .map(trimSpace)
      .filter((pair) => pair !== ''),
  );

/**
 * All values of a cookie, in order, from all Cookie fields. Quotes are part of the value. Linear in the
 * length of the fields.
 */
export const cookieValues = (headers: HeaderList, name: string): readonly string[] => {
  const values: string[] = [];
  for (const pair of pairsOf(headers)) {
    if (pair.includes('=') && nameOf(pair) === name) values.push(trimSpace(pair.slice(pair.indexOf('=') + 1)));
  }
  return values;
};

/** All cookies whose name has this prefix, in order. Linear in the length of the fields. */
export const cookiesWithPrefix = (
  headers: HeaderList,
  prefix: string,
): readonly { readonly name: string; readonly value: string }[] =>
  pairsOf(headers).flatMap((pair) => {
    const name = nameOf(pair);
    if (!pair.includes('=') || !name.startsWith(prefix)) return [];
    return [{ name, value: trimSpace(pair.slice(pair.indexOf('=') + 1)) }];
  });

export const hasCookie = (headers: HeaderList, isSought: (name: string) => boolean): boolean =>
  pairsOf(headers).some((pair) => pair.includes('=') && isSought(nameOf(pair)));

/**
 * Header operations that remove the named cookies and join the others in one field. Null if the request has
 * none of them.
 */
export const withoutCookies = (
  headers: HeaderList,
  isTaken: (name: string) => boolean,
): readonly HeaderOperation[] | null => {
  const pairs = pairsOf(headers);
  const kept = pairs.filter((pair) => !isTaken(nameOf(pair)));
  if (kept.length === pairs.length) return null;
  if (kept.length === 0) return [{ kind: 'remove', name: 'Cookie' }];
  return [{ kind: 'set', name: 'Cookie', value: kept.join('; ') }];
};

/** The value of a Set-Cookie field. */
export const setCookie = (cookie: CookieToSet): string => {
  const { name, value, domain = null, secure, httpOnly, sameSite, maxAgeSecs } = cookie;
  const attributes = [`${name}=${value}`, 'Path=/'];
  if (domain !== null) attributes.push(`Domain=${domain}`);
  if (maxAgeSecs !== null) attributes.push(`Max-Age=${maxAgeSecs}`);
  if (secure) attributes.push('Secure');
  if (httpOnly) attributes.push('HttpOnly');
  attributes.push(`SameSite=${sameSite}`);
  return attributes.join('; ');
};
