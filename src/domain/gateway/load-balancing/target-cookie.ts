import { cookieValues, setCookie } from '../../http/cookies.js';
import type { HeaderList } from '../../http/header-list.js';
import type { StickyCookie } from '../configuration/upstream-options.js';
import { textHash } from './consistent-hash.js';

/**
 * The cookie value of a target: a hash of eight hexadecimal digits. A client cannot read the address from the value,
 * but can verify a guess.
 *
 * @param address `host:port`
 */
export const targetCookieValue = (upstream: string, address: string): string =>
  textHash(`${upstream} ${address}`).toString(16).padStart(8, '0');

/** The Set-Cookie field of a sticky target (RFC 6265, section 4.1). */
export const targetCookieField = (cookie: StickyCookie, value: string, isSecure: boolean): HeaderList => [
  'Set-Cookie',
  setCookie({
    name: cookie.name,
    value,
    secure: isSecure,
    httpOnly: true,
    sameSite: 'Lax',
    maxAgeSecs: cookie.maxAgeMs === null ? null : Math.ceil(cookie.maxAgeMs / 1000),
  }),
];

/** The candidate that a cookie of the request names; null: none. */
export const stickyTarget = <Target extends { readonly cookieValue: string }>(
  candidates: readonly Target[],
  headers: HeaderList,
  cookieName: string,
): Target | null => {
  for (const value of cookieValues(headers, cookieName)) {
    const target = candidates.find(({ cookieValue }) => cookieValue === value);
    if (target !== undefined) return target;
  }
  return null;
};
