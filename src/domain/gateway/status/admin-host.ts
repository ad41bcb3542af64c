import { isIpv4Literal } from './loopback-address.js';

const isIpv6Character = (character: string): boolean =>
  character === ':' ||
  character === '.' ||
  (character >= '0' && character <= '9') ||
  (character >= 'a' && character <= 'f');

const isBracketedIpv6 = (host: string): boolean =>
  host.startsWith('[') && host.endsWith(']') && Array.from(host.slice(1, -1)).every(isIpv6Character);

/** The host of a Host header's value without its port, in lower case (RFC 9110, section 7.2). */
const hostOf = (value: string): string => {
  const lower = value.toLowerCase();
  const closing = lower.lastIndexOf(']');
  const colon = lower.indexOf(':', closing + 1);
  return colon === -1 ? lower : lower.slice(0, colon);
};

/**
 * Whether a Host header may be that of a request to an admin address without a token. A web page can make a browser
 * connect to a loopback address under a name of its own (DNS rebinding); the browser then sends that name, so only names
 * that nobody else can own are taken: an IP address, `localhost`, and the configured host. No header at all, as HTTP/1.0
 * health checks send, is no browser.
 *
 * @param values every Host header of the request
 */
export const isAdminHost = (values: readonly string[], configuredHost: string): boolean => {
  if (values.length === 0) return true;
  if (values.length > 1) return false;
  const host = hostOf(values[0] as string);
  return host === 'localhost' || host === configuredHost.toLowerCase() || isIpv4Literal(host) || isBracketedIpv6(host);
};
