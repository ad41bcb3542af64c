import { decodeBase64 } from '../../shared/base64.js';
import { decodeUtf8 } from '../../shared/utf8.js';
import { normalForm } from './password-hash-rules.js';

/** A bearer token (RFC 6750, section 2.1). */
export interface BearerCredential {
  readonly scheme: 'bearer';
  /** A token68. */
  readonly token: string;
}

/** A parsed Authorization field (RFC 9110, section 11.6.2). */
export type AuthorizationCredential =
  | BearerCredential
  /** A token with a proof of possession (RFC 9449, section 7.1). */
  | { readonly scheme: 'dpop'; readonly token: string }
  /** In Unicode normal form C. */
  | { readonly scheme: 'basic'; readonly user: string; readonly password: string }
  /** A known scheme with malformed credentials. */
  | { readonly scheme: 'malformed'; readonly of: 'bearer' | 'basic' | 'dpop' }
  /** Another scheme, or none. */
  | { readonly scheme: 'other' };

/** RFC 9110, section 11.2. */
const token68 = /^[A-Za-z0-9\-._~+/]+=*$/;
/** Whether a text can be a bearer token (RFC 6750, section 2.1). */
export const isBearerToken = (text: string): boolean => token68.test(text);

/** User ids and passwords contain no control characters (RFC 7617, section 2). */
const control = /[\x00-\x1f\x7f]/;

const basicCredential = (encoded: string): AuthorizationCredential => {
  const octets = decodeBase64(encoded, 'standard');
  const text = octets === null ? null : decodeUtf8(octets);
  const colon = text === null ? -1 : text.indexOf(':');
  if (text === null || colon < 0 || control.test(text)) return { scheme: 'malformed', of: 'basic' };
  return { scheme: 'basic', user: normalForm(text.slice(0, colon)), password: normalForm(text.slice(colon + 1)) };
};

/** Parses an Authorization field: a case-insensitive scheme, spaces, and one token68. */
export const parseAuthorization = (value: string): AuthorizationCredential => {
  const space = value.indexOf(' ');
  const scheme = (space < 0 ? value : value.slice(0, space)).toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'basic' && scheme !== 'dpop') return { scheme: 'other' };
  let start = scheme.length;
  while (value.charAt(start) === ' ') start += 1;
  const credential = value.slice(start);
  if (!token68.test(credential)) return { scheme: 'malformed', of: scheme };
  return scheme === 'basic' ? basicCredential(credential) : { scheme, token: credential };
};
