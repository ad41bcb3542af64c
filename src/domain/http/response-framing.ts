import { allHeaders, firstHeader, type HeaderList } from './header-list.js';

/**
 * What makes the end of a response's body a matter of opinion (RFC 9112, sections 6.1 and 6.3), or null. `version` is
 * that of the status line. Whether Content-Length is one number is left to who reads the body.
 */
export const responseFramingFault = (headers: HeaderList, version: string): string | null => {
  const codings = allHeaders(headers, 'transfer-encoding');
  if (codings.length === 0) return null;
  if (codings.length > 1 || (codings[0] as string).toLowerCase() !== 'chunked') {
    return 'the response has a transfer coding other than "chunked"';
  }
  if (version !== 'HTTP/1.1') return 'the response has Transfer-Encoding, which needs HTTP/1.1';
  return firstHeader(headers, 'content-length') === undefined
    ? null
    : 'the response has both Content-Length and Transfer-Encoding';
};
