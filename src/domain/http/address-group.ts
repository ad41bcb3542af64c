import { formatIpAddress, parseIpAddress } from './ip-address.js';

/**
 * Whose share a client address counts to: an IPv4 address stands for itself, an IPv6 address for its /64, since one site
 * has all of that (RFC 6177, section 2). A text that is no address is a group of its own.
 */
export const addressGroup = (ip: string): string => {
  // Nearly always, and on the way of every request.
  if (!ip.includes(':')) return ip;
  const words = parseIpAddress(ip);
  if (words === null) return ip;
  return words.length === 1 ? formatIpAddress(words) : `${formatIpAddress([words[0], words[1], 0, 0])}/64`;
};
