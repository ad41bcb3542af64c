import { listMembers, trimSpace } from '../../http/field-syntax.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';

/** A weight of zero means "not acceptable" (RFC 9110, section 12.4.2). */
const isZeroWeight = (parameter: string): boolean => {
  const text = trimSpace(parameter).toLowerCase();
  return text.startsWith('q=') && Number(text.slice(2)) === 0;
};

const takesPages = (range: string): boolean => {
  const [type = '', ...parameters] = range.split(';');
  const name = trimSpace(type).toLowerCase();
  return (name === 'text/html' || name === '*/*') && !parameters.some(isZeroWeight);
};

/** Whether Accept names types and none is a page. */
const wantsNoPage = (headers: HeaderList): boolean => {
  const ranges = allHeaders(headers, 'accept').flatMap(listMembers);
  return ranges.length > 0 && !ranges.some(takesPages);
};

const has = (headers: HeaderList, lowerName: string): boolean => allHeaders(headers, lowerName).length > 0;

/** Whether a field is absent, or has this value alone, however often. */
const hasOnly = (headers: HeaderList, lowerName: string, value: string): boolean =>
  allHeaders(headers, lowerName).every((shown) => trimSpace(shown).toLowerCase() === value);

/** Whether the browser reports a cross-site request, for which it withholds cookies with SameSite=Lax or Strict. */
export const isFromOtherSite = (headers: HeaderList): boolean =>
  allHeaders(headers, 'sec-fetch-site').some((site) => trimSpace(site).toLowerCase() === 'cross-site');

/** Whether neither a script nor a client with another credential sent the request, and a page may answer it. */
const mayGetPage = (headers: HeaderList, secretHeaders: readonly string[]): boolean => {
  if (has(headers, 'authorization') || has(headers, 'x-requested-with')) return false;
  if (secretHeaders.some((name) => has(headers, name.toLowerCase()))) return false;
  if (!hasOnly(headers, 'sec-fetch-mode', 'navigate')) return false;
  return !wantsNoPage(headers);
};

/**
 * Whether a request may be a browser navigation, so that a redirect to a sign-on page makes sense. Excluded: methods
 * other than GET and HEAD, Accept without a page, requests from scripts (X-Requested-With, Sec-Fetch-Mode), and
 * requests with another credential.
 *
 * @param secretHeaders the headers with credentials besides Authorization
 */
export const isBrowserNavigation = (method: string, headers: HeaderList, secretHeaders: readonly string[]): boolean => {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return mayGetPage(headers, secretHeaders);
};

/**
 * Whether a page of the same origin posts a form in a tab of its own (Fetch Metadata, section 2). Browsers that send no
 * Sec-Fetch-Site are excluded, and forms for a frame, which could not show the sign-on.
 *
 * @param origin the origin of the request, as browsers write it
 * @param secretHeaders the headers with credentials besides Authorization
 */
export const isOwnFormPost = (
  method: string,
  headers: HeaderList,
  origin: string,
  secretHeaders: readonly string[],
): boolean => {
  if (method !== 'POST' || !mayGetPage(headers, secretHeaders)) return false;
  const sites = allHeaders(headers, 'sec-fetch-site');
  if (sites.length !== 1 || sites[0] !== 'same-origin') return false;
  if (!hasOnly(headers, 'sec-fetch-dest', 'document') || !hasOnly(headers, 'origin', origin)) return false;
  const types = allHeaders(headers, 'content-type');
  return types.length === 1 && types[0]?.toLowerCase() === 'application/x-www-form-urlencoded';
};
