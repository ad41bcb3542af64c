import { parseIpAddress } from '../../http/ip-address.js';

/** One text for each host, however it is written: addresses are compared as octets, names without case. */
export const hostKey = (host: string): string => parseIpAddress(host)?.join('.') ?? host.toLowerCase();
