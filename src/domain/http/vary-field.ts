import { listMembers } from './field-syntax.js';
import { allHeaders, type HeaderList, withHeader } from './header-list.js';

/**
 * The headers with a name in Vary (RFC 9110, section 12.5.5). Keeps the other names, and `*`. Returns the same list if
 * nothing changes.
 *
 * @param name the request field that selects the response
 */
export const withVary = (headers: HeaderList, name: string): HeaderList => {
  const names = allHeaders(headers, 'vary').flatMap(listMembers);
  if (names.some((each) => each === '*' || each.toLowerCase() === name.toLowerCase())) return headers;
  return withHeader(headers, 'Vary', [...names, name].join(', '));
};
