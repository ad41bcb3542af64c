import { parseDecimal } from '../../shared/decimal.js';
import { formatIpAddress, parseIpAddress } from '../ip-address.js';
import {
  faultyProxyHeader,
  incompleteProxyHeader,
  type ProxiedClient,
  type ProxyHeaderReading,
} from './proxy-header.js';

/** Octets of the longest header, its line end among them (PROXY protocol, section 2.1). */
const maxOctets = 107;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Octets of the line without its end; a reading where that has not come, or never can. */
const lineLength = (octets: Uint8Array): number | ProxyHeaderReading => {
  for (let index = 0; index < Math.min(octets.length, maxOctets - 1); index += 1) {
    const octet = octets[index];
    if (octet === lineFeed) return faultyProxyHeader('malformed');
    if (octet !== carriageReturn) continue;
    if (index + 1 === octets.length) return incompleteProxyHeader;
    return octets[index + 1] === lineFeed ? index : faultyProxyHeader('malformed');
  }
  return octets.length < maxOctets ? incompleteProxyHeader : faultyProxyHeader('too_long');
};

const port = (text: string): number | null => {
  if (text.length > 1 && text.startsWith('0')) return null;
  const value = parseDecimal(text, 5);
  return value === null || value > 65_535 ? null : value;
};

/** An address of the family that the header says it is of, in canonical text. */
const address = (text: string, isIpv6: boolean): string | null => {
  if (text.includes(':') !== isIpv6) return null;
  const parsed = parseIpAddress(text);
  return parsed === null ? null : formatIpAddress(parsed);
};

const clientOf = (words: readonly string[]): ProxiedClient | null => {
  const [, family, source = '', destination = '', sourcePort = '', destinationPort = ''] = words;
  if (words.length !== 6 || (family !== 'TCP4' && family !== 'TCP6')) return null;
  const isIpv6 = family === 'TCP6';
  const [from, to] = [address(source, isIpv6), address(destination, isIpv6)];
  const [fromPort, toPort] = [port(sourcePort), port(destinationPort)];
  if (from === null || to === null || fromPort === null || toPort === null) return null;
  return { address: from, port: fromPort };
};

/**
 * Reads a header of version 1, which is a line of text (PROXY protocol, section 2.1), from octets that begin as one does.
 * Its grammar is exact: one space between words, no leading zeros, nothing behind the last word. Of `UNKNOWN` the rest of
 * the line is of no meaning.
 */
export const readTextProxyHeader = (octets: Uint8Array): ProxyHeaderReading => {
  const length = lineLength(octets);
  if (typeof length !== 'number') return length;
  const words = String.fromCharCode(...octets.subarray(0, length)).split(' ');
  if (words[1] === 'UNKNOWN') return { kind: 'complete', octets: length + 2, client: null };
  const client = clientOf(words);
  return client === null ? faultyProxyHeader('malformed') : { kind: 'complete', octets: length + 2, client };
};
