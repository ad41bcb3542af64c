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
 * The page that a sign-on leads to when the browser names it, as the RelayState of an IdP-initiated sign-on does: a
 * path of this host, whose second character is neither `/` nor `\\` and which has no control characters; `/` in place
 * of everything else. What parsers of URLs would read as another host never gets through, as the result is a normal
 * path of this host.
 */
export const allowedReturn = (wish: string): string => {
  if (!wish.startsWith('/') || wish.startsWith('//') || wish.startsWith('/\\') || hasControl(wish)) return home;
  return returnTarget(wish);
};

/** Characters of a target, at most: it is kept, and goes into a header field. */
export const maximumReturnTarget = 4096;

const isQuery = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x21 || code > 0x7e || code === 0x23) return false;
  }
  return true;
};

/**
 * Where a browser returns to once it is signed on, made of what it asked for: path and query of this host and no other,
 * whatever a browser makes of slashes, backslashes and controls. The path alone where the query is too long or none;
 * `/` where the path is. A target of a target is the same one.
 */
export const returnTarget = (uri: string): string => {
  const mark = uri.indexOf('?');
  const path = normalisePath(mark < 0 ? uri : uri.slice(0, mark));
  if (!path.ok || !path.value.startsWith('/') || path.value.length > maximumReturnTarget) return '/';
  const query = mark < 0 ? '' : uri.slice(mark);
  return path.value.length + query.length <= maximumReturnTarget && isQuery(query) ? path.value + query : path.value;
};
