import { normalisePath } from '../../http/path-normalisation.js';

const home = '/';

const hasControl = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
};

/**
 * The page for a RelayState of an IdP-initiated sign-on: a path of this host that begins neither with `//` nor with
 * `/\\` and has no control characters; otherwise `/`. A URL parser never reads the result as another host, because it
 * is a normalised path.
 */
export const allowedReturn = (wish: string): string => {
  if (!wish.startsWith('/') || wish.startsWith('//') || wish.startsWith('/\\') || hasControl(wish)) return home;
  return returnTarget(wish);
};

/** Maximum characters of a target, which is stored and sent in a header. */
export const maximumReturnTarget = 4096;

const isQuery = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x21 || code > 0x7e || code === 0x23) return false;
  }
  return true;
};

/**
 * The page to return to after a sign-on: path and query on this host only, however a browser treats slashes,
 * backslashes and controls. Without the query if it is too long or malformed; `/` if the path is. Idempotent.
 */
export const returnTarget = (uri: string): string => {
  const mark = uri.indexOf('?');
  const path = normalisePath(mark < 0 ? uri : uri.slice(0, mark));
  if (!path.ok || !path.value.startsWith('/') || path.value.length > maximumReturnTarget) return '/';
  const query = mark < 0 ? '' : uri.slice(mark);
  return path.value.length + query.length <= maximumReturnTarget && isQuery(query) ? path.value + query : path.value;
};
