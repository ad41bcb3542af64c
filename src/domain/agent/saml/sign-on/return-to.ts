import { returnTarget } from './return-target.js';

const home = '/';

const hasControl = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
};

/**
 * The page that a sign-on leads to when the browser names it, as the RelayState of an IdP-initiated sign-on does: a path of this
 * host, whose second character is neither `/` nor `\\` and which has no control characters; `/` in place of everything else. What
 * parsers of URLs would read as another host never gets through, as the result is a normal path of this host.
 */
export const allowedReturn = (wish: string): string => {
  if (!wish.startsWith('/') || wish.startsWith('//') || wish.startsWith('/\\') || hasControl(wish)) return home;
  return returnTarget(wish);
};
