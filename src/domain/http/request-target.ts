import { parseDecimal } from '../shared/decimal.js';
import { err, ok, type Result } from '../shared/result.js';
import { type HeaderSummary, summaryOf } from './field-traits.js';
import type { HeaderList } from './header-list.js';
import { parseIpAddress } from './ip-address.js';
import { isUnservedMethod } from './request-method.js';

/** A parsed request-target. */
interface RequestTarget {
  /** The received path, not normalised; `*` for the server itself (OPTIONS only). */
  readonly path: string;
  /** The text after the first `?`; null if there is none. */
  readonly query: string | null;
  /** Host and port of an absolute-form target, which replace Host; null in other forms. */
  readonly authority: string | null;
}

/** The target and host of a request, as used for routing, authorization and forwarding. */
export interface ResolvedTarget {
  /** Normalised. */
  readonly path: string;
  /** The text after `?`; null if there is none. */
  readonly query: string | null;
  /** Lower case, without port; null for an HTTP/1.0 request without Host. */
  readonly host: string | null;
  /** The forwarded Host value. */
  readonly authority: string;
}

type RequestTargetError = 'malformed_request' | 'method_not_implemented';

const hash = 0x23;
const slash = 0x2f;
const firstVisible = 0x21;
const lastVisible = 0x7e;

const isVisibleWithoutFragment = (target: string): boolean => {
  for (let index = 0; index < target.length; index += 1) {
    const code = target.charCodeAt(index);
    if (code < firstVisible || code > lastVisible || code === hash) return false;
  }
  return true;
};

const split = (text: string, authority: string | null): RequestTarget => {
  const mark = text.indexOf('?');
  if (mark < 0) return { path: text, query: null, authority };
  return { path: text.slice(0, mark), query: text.slice(mark + 1), authority };
};

/** Offset after `http://` or `https://`, in any case, or -1. */
const schemeEnd = (target: string): number => {
  const head = target.slice(0, 8).toLowerCase();
  if (head.startsWith('http://')) return 7;
  return head === 'https://' ? 8 : -1;
};

const absoluteForm = (target: string, method: string): Result<RequestTarget, RequestTargetError> => {
  const start = schemeEnd(target);
  if (start < 0) return err('malformed_request');
  let end = start;
  while (end < target.length && target[end] !== '/' && target[end] !== '?') end += 1;
  if (end === start) return err('malformed_request');
  const authority = target.slice(start, end);
  const rest = target.slice(end);
  // An OPTIONS without path and query asks for the server itself (RFC 9112, section 3.2.4).
  if (rest === '') return ok({ path: method === 'OPTIONS' ? '*' : '/', query: null, authority });
  return ok(split(rest.startsWith('/') ? rest : `/${rest}`, authority));
};

/**
 * Parses a request-target (RFC 9112, section 3.2): origin-form, absolute-form with http or https, and `*` for
 * OPTIONS. CONNECT and TRACE are `method_not_implemented`. Every other form is malformed, as are fragments,
 * white space, control characters and octets beyond ASCII.
 */
export const parseRequestTarget = (target: string, method: string): Result<RequestTarget, RequestTargetError> => {
  if (isUnservedMethod(method)) return err('method_not_implemented');
  if (!isVisibleWithoutFragment(target)) return err('malformed_request');
  if (target.charCodeAt(0) === slash) return ok(split(target, null));
  if (target === '*')
    return method === 'OPTIONS' ? ok({ path: '*', query: null, authority: null }) : err('malformed_request');
  return absoluteForm(target, method);
};

interface RequestHost {
  /** Lower case, without port and without a trailing dot; an IPv6 address keeps its brackets. */
  readonly host: string;
  readonly port: number | null;
  /** The received value, valid for forwarding. */
  readonly original: string;
}

const maxHostLength = 255;

const isNameCharacter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2d ||
  code === 0x5f ||
  code === 0x7e;

/**
 * Labels of letters, digits, `-`, `_` and `~`; only the last may be empty. DNS names and IPv4 addresses
 * match.
 */
const isName = (text: string): boolean => {
  let labelLength = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x2e) {
      if (labelLength === 0) return false;
      labelLength = 0;
    } else if (isNameCharacter(code)) labelLength += 1;
    else return false;
  }
  return text.length > 0;
};

/** The port after a colon: null if empty (RFC 3986, section 3.2.3), undefined if invalid. */
const parsePort = (text: string): number | null | undefined => {
  if (text === '') return null;
  const port = parseDecimal(text, 5);
  return port !== null && port >= 1 && port <= 65_535 ? port : undefined;
};

const isIpv6Literal = (text: string): boolean => text.includes(':') && parseIpAddress(text.slice(1, -1)) !== null;

/**
 * Parses `host[:port]` (RFC 9110, section 7.2): a DNS name, an IPv4 address or a bracketed IPv6 address.
 * Refuses userinfo, escapes, zones and other reg-name characters, which no resolvable host has.
 */
export const parseAuthority = (text: string): Result<RequestHost, 'invalid_host'> => {
  if (text.length > maxHostLength + 6) return err('invalid_host');
  const literalEnd = text.startsWith('[') ? text.indexOf(']') + 1 : 0;
  const colon = text.indexOf(':', literalEnd);
  const hostText = colon < 0 ? text : text.slice(0, colon);
  if (hostText.length > maxHostLength) return err('invalid_host');
  const valid = literalEnd > 0 ? hostText.length === literalEnd && isIpv6Literal(hostText) : isName(hostText);
  const port = colon < 0 ? null : parsePort(text.slice(colon + 1));
  if (!valid || port === undefined) return err('invalid_host');
  const lower = hostText.toLowerCase();
  return ok({ host: lower.endsWith('.') ? lower.slice(0, -1) : lower, port, original: text });
};

/**
 * The host of a request from its Host fields: exactly one (RFC 9112, section 3.2; of HTTP/2, RFC 9113, section
 * 8.3.1), in HTTP/1.0 none (null) or one.
 *
 * @param known a summary of these or other fields
 */
export const parseHost = (
  headers: HeaderList,
  httpVersion: string,
  known: HeaderSummary | null = null,
): Result<RequestHost | null, 'invalid_host'> => {
  const found = summaryOf(headers, known);
  if (found !== null && found.hostAt >= 0) {
    return parseAuthority(headers[found.hostAt + 1] as string);
  }
  let value: string | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (value !== null) return err('invalid_host');
    value = headers[index + 1] as string;
  }
  if (value === null) return httpVersion === '1.0' ? ok(null) : err('invalid_host');
  return parseAuthority(value);
};
