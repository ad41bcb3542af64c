import { parseIpAddress } from '../../../http/ip-address.js';
import type { IpValue } from '../values/value.js';

/** A client's address as policies see it; null where it is none. An IPv4-mapped IPv6 address is the IPv4 address. */
export const clientIpValue = (text: string): IpValue | null => {
  const words = parseIpAddress(text);
  if (words === null) return null;
  if (words.length === 1) return { kind: 'ip', version: 4, address: BigInt(words[0]), prefixLength: 32 };
  let address = 0n;
  for (const word of words) address = (address << 32n) | BigInt(word);
  return { kind: 'ip', version: 6, address, prefixLength: 128 };
};
