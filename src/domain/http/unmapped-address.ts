const mapped = '::ffff:';

/**
 * An address as a system writes it, an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) as the IPv4 address that it
 * maps: what a listener for both calls a client of IPv4. Cheaper than reading the address; other spellings are left alone.
 */
export const unmappedAddress = (text: string): string =>
  text.startsWith(mapped) && text.includes('.') ? text.slice(mapped.length) : text;
