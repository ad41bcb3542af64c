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

/** Whether the browser reports a cross-site request, for which it withholds cookies with SameSite=Lax or Strict. */
export const isFromOtherSite = (headers: HeaderList): boolean =>
  allHeaders(headers, 'sec-fetch-site').some((site) => trimSpace(site).toLowerCase() === 'cross-site');

/**
 * Whether a request may be a browser navigation, so that a redirect to a sign-on page makes sense. Excluded: methods
 * other than GET and HEAD, Accept without a page, requests from scripts (X-Requested-With, Sec-Fetch-Mode), and
 * requests with another credential.
 *
 * @param secretHeaders the headers with credentials besides Authorization
 */
export const isBrowserNavigation = (method: string, headers: HeaderList, secretHeaders: readonly string[]): boolean => {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (has(headers, 'authorization') || has(headers, 'x-requested-with')) return false;
  if (secretHeaders.some((name) => has(headers, name.toLowerCase()))) return false;
  if (allHeaders(headers, 'sec-fetch-mode').some((mode) => trimSpace(mode).toLowerCase() !== 'navigate')) return false;
  return !wantsNoPage(headers);
};
