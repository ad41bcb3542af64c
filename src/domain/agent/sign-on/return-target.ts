import { isHostName } from '../../configuration/schema/network-kinds.js';
import type { AllowedOrigins } from '../../http/allowed-origins.js';
import { normalisePath } from '../../http/path-normalisation.js';

const home = '/';

const hasControl = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
};

/** Origin and rest of an https URL that every parser reads alike: a plain host name and no credentials. */
const httpsUrl = /^https:\/\/([A-Za-z0-9_.-]+)(?::(\d{1,5}))?(?:([/?].*)|$)/i;

/** The same URL with a normalised path if its origin is listed, otherwise `/`. */
const allowedUrl = (wish: string, origins: Pick<AllowedOrigins, 'has'>): string => {
  const parts = httpsUrl.exec(wish);
  if (parts === null) return home;
  const [, host = '', port = '443', rest = '/'] = parts;
  if (!isHostName(host)) return home;
  const origin = `https://${host.toLowerCase()}${Number(port) === 443 ? '' : `:${Number(port)}`}`;
  if (!origins.has(origin)) return home;
  const target = origin + returnTarget(rest.startsWith('/') ? rest : `/${rest}`);
  return target.length <= maximumReturnTarget ? target : home;
};

/**
 * The page that a client may name for its return: a path of this host that begins neither with `//` nor with `/\\`, or
 * an https URL at one of the origins, without control characters; otherwise `/`. A URL parser never reads the result as
 * another host, because it is made of a listed origin and a normalised path. Idempotent.
 */
export const allowedReturn = (wish: string, origins: Pick<AllowedOrigins, 'has'>): string => {
  if (hasControl(wish)) return home;
  if (!wish.startsWith('/')) return allowedUrl(wish, origins);
  return wish.startsWith('//') || wish.startsWith('/\\') ? home : returnTarget(wish);
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
