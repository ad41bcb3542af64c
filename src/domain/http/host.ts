import { parseDecimal } from '../shared/decimal.js';
import { err, ok, type Result } from '../shared/result.js';
import type { HeaderList } from './header-list.js';
import { type HeaderSummary, knownOf } from './header-summary.js';
import { parseIpAddress } from './ip-address.js';

export interface RequestHost {
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
  const found = knownOf(headers, known);
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
