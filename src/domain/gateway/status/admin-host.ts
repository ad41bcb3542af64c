const isDigit = (character: string): boolean => character >= '0' && character <= '9';

const isOctet = (text: string): boolean =>
  text.length > 0 && text.length <= 3 && Array.from(text).every(isDigit) && Number(text) <= 255;

/** Whether a text is an IPv4 address in dotted decimal. */
const isIpv4Literal = (text: string): boolean => {
  const octets = text.split('.', 5);
  return octets.length === 4 && octets.every(isOctet);
};

/** Whether a peer address is a loopback address: 127.0.0.0/8, ::1, or an IPv4-mapped form of the former. */
export const isLoopbackAddress = (address: string): boolean => {
  if (address === '::1') return true;
  const ipv4 = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return isIpv4Literal(ipv4) && ipv4.startsWith('127.');
};

/** Whether only this host can reach a listening address. */
export const isLoopbackHost = (host: string): boolean => host === 'localhost' || isLoopbackAddress(host);

const isIpv6Character = (character: string): boolean =>
  character === ':' ||
  character === '.' ||
  (character >= '0' && character <= '9') ||
  (character >= 'a' && character <= 'f');

const isBracketedIpv6 = (host: string): boolean =>
  host.startsWith('[') && host.endsWith(']') && Array.from(host.slice(1, -1)).every(isIpv6Character);

/** The host of a Host header value, without the port, in lower case (RFC 9110, section 7.2). */
const hostOf = (value: string): string => {
  const lower = value.toLowerCase();
  const closing = lower.lastIndexOf(']');
  const colon = lower.indexOf(':', closing + 1);
  return colon === -1 ? lower : lower.slice(0, colon);
};

/**
 * Whether an admin address without a token accepts a Host header. A web page can make a browser connect to a loopback
 * address under its own name (DNS rebinding), and the browser sends that name. So only names that others cannot own are
 * accepted: an IP address, `localhost` and the configured host. HTTP/1.0 health checks without the header are no
 * browsers.
 *
 * @param values all Host headers of the request
 */
export const isAdminHost = (values: readonly string[], configuredHost: string): boolean => {
  if (values.length === 0) return true;
  if (values.length > 1) return false;
  const host = hostOf(values[0] as string);
  return host === 'localhost' || host === configuredHost.toLowerCase() || isIpv4Literal(host) || isBracketedIpv6(host);
};
