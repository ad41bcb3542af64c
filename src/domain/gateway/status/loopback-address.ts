const isDigit = (character: string): boolean => character >= '0' && character <= '9';

const isOctet = (text: string): boolean =>
  text.length > 0 && text.length <= 3 && Array.from(text).every(isDigit) && Number(text) <= 255;

/** Whether a text is an IPv4 address in dotted decimal. */
export const isIpv4Literal = (text: string): boolean => {
  const octets = text.split('.', 5);
  return octets.length === 4 && octets.every(isOctet);
};

/** Whether a peer's address, as the system writes it, is of this machine: 127.0.0.0/8, ::1, or the first mapped to IPv6. */
export const isLoopbackAddress = (address: string): boolean => {
  if (address === '::1') return true;
  const ipv4 = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return isIpv4Literal(ipv4) && ipv4.startsWith('127.');
};

/** Whether an address to listen on is reached from this machine alone. */
export const isLoopbackHost = (host: string): boolean => host === 'localhost' || isLoopbackAddress(host);
