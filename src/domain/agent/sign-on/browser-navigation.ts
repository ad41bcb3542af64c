import { listMembers, trimSpace } from '../../http/field-syntax.js';
import { allHeaders, type HeaderList } from '../../http/header-list.js';

/** A weight of zero says that the type is not wanted (RFC 9110, section 12.4.2). */
const isZeroWeight = (parameter: string): boolean => {
  const text = trimSpace(parameter).toLowerCase();
  return text.startsWith('q=') && Number(text.slice(2)) === 0;
};

const takesPages = (range: string): boolean => {
  const [type = '', ...parameters] = range.split(';');
  const name = trimSpace(type).toLowerCase();
  return (name === 'text/html' || name === '*/*') && !parameters.some(isZeroWeight);
};

/** Whether the fields of Accept name types and no page is among them. */
const wantsNoPage = (headers: HeaderList): boolean => {
  const ranges = allHeaders(headers, 'accept').flatMap(listMembers);
  return ranges.length > 0 && !ranges.some(takesPages);
};

const has = (headers: HeaderList, lowerName: string): boolean => allHeaders(headers, lowerName).length > 0;

/**
 * Whether a browser says that another site brought the request about: it holds back cookies that are SameSite Lax or
 * Strict.
 */
export const isFromOtherSite = (headers: HeaderList): boolean =>
  allHeaders(headers, 'sec-fetch-site').some((site) => trimSpace(site).toLowerCase() === 'cross-site');

/**
 * Whether a request may be a browser's that goes to a page, so that sending it to a sign-on page is of use. A request
 * that is plainly something else gets an answer that programs understand: one with another method than GET or HEAD, for
 * types that are no page, from a script (X-Requested-With, Sec-Fetch-Mode), or with a credential of its own.
 */
export const isBrowserNavigation = (method: string, headers: HeaderList, apiKeyHeader: string | null): boolean => {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (has(headers, 'authorization') || has(headers, 'x-requested-with')) return false;
  if (apiKeyHeader !== null && has(headers, apiKeyHeader.toLowerCase())) return false;
  if (allHeaders(headers, 'sec-fetch-mode').some((mode) => trimSpace(mode).toLowerCase() !== 'navigate')) return false;
  return !wantsNoPage(headers);
};
