import { crc32c } from '../../shared/crc32c.js';
import { parseDecimal } from '../../shared/decimal.js';
import { formatIpAddress, type IpAddress, parseIpAddress } from '../ip-address.js';
import {
  faultyProxyHeader,
  incompleteProxyHeader,
  type ProxiedClient,
  type ProxyHeaderFault,
  type ProxyHeaderReading,
} from './proxy-header.js';

/** Signature, command, family and length. */
const fixedOctets = 16;

/** Maximum octets of addresses and TLVs. */
const maxVariableOctets = 4_096;

const versionAndLocal = 0x20;
const versionAndProxy = 0x21;

/**
 * Octets of addresses and ports by family and transport (PROXY protocol, section 2.2). Others are
 * not streams.
 */
const addressOctets: ReadonlyMap<number, number> = new Map([
  [0x11, 12],
  [0x21, 36],
  [0x31, 216],
]);
const unspecified = 0x00;
const overIpv4 = 0x11;
const overIpv6 = 0x21;

const checksumType = 0x03;
const checksumOctets = 4;

const byte = (octets: Uint8Array, at: number): number => octets[at] ?? 0;
const short = (octets: Uint8Array, at: number): number => byte(octets, at) * 256 + byte(octets, at + 1);
const word = (octets: Uint8Array, at: number): number => short(octets, at) * 65_536 + short(octets, at + 2);

const ipv6 = (octets: Uint8Array, at: number): IpAddress => {
  const words = [0, 4, 8, 12].map((offset) => word(octets, at + offset)) as [number, number, number, number];
  // An IPv4-mapped address becomes IPv4 (RFC 4291, section 2.5.5.2).
  return words[0] === 0 && words[1] === 0 && words[2] === 0xffff ? [words[3]] : words;
};

/**
 * The first fault in the TLVs from an offset to the end of the header, or null (PROXY protocol, section
 * 2.2.1).
 */
const tlvFault = (header: Uint8Array, from: number): ProxyHeaderFault | null => {
  let checksumAt: number | null = null;
  let at = from;
  while (at < header.length) {
    if (at + 3 > header.length) return 'malformed';
    const length = short(header, at + 1);
    const next = at + 3 + length;
    if (next > header.length) return 'malformed';
    if (byte(header, at) === checksumType) {
      if (length !== checksumOctets || checksumAt !== null) return 'malformed';
      checksumAt = at + 3;
    }
    at = next;
  }
  if (checksumAt === null) return null;
  // The checksum covers its own octets as zeros (section 2.2.3).
  const whole = Uint8Array.from(header);
  whole.fill(0, checksumAt, checksumAt + checksumOctets);
  return crc32c(whole) === word(header, checksumAt) ? null : 'wrong_checksum';
};

const readProxied = (header: Uint8Array): ProxyHeaderReading => {
  const family = byte(header, 13);
  const ownConnection: ProxyHeaderReading = { kind: 'complete', octets: header.length, client: null };
  if (family === unspecified) return ownConnection;
  const length = addressOctets.get(family);
  if (length === undefined || fixedOctets + length > header.length) return faultyProxyHeader('malformed');
  const fault = tlvFault(header, fixedOctets + length);
  if (fault !== null) return faultyProxyHeader(fault);
  if (family !== overIpv4 && family !== overIpv6) return ownConnection;
  const isIpv4 = family === overIpv4;
  const source = isIpv4 ? ([word(header, fixedOctets)] as const) : ipv6(header, fixedOctets);
  const port = short(header, fixedOctets + (isIpv4 ? 8 : 32));
  return { kind: 'complete', octets: header.length, client: { address: formatIpAddress(source), port } };
};

/**
 * Parses a version 2 header (PROXY protocol, section 2.2). The octets begin with the signature. TLVs are
 * ignored, but their framing and checksum must be valid. LOCAL skips everything after the length.
 */
const readBinaryProxyHeader = (octets: Uint8Array): ProxyHeaderReading => {
  const command = octets[12];
  if (command === undefined) return incompleteProxyHeader;
  if (command !== versionAndLocal && command !== versionAndProxy) return faultyProxyHeader('malformed');
  if (octets.length < fixedOctets) return incompleteProxyHeader;
  const variable = short(octets, 14);
  if (variable > maxVariableOctets) return faultyProxyHeader('too_long');
  const length = fixedOctets + variable;
  if (octets.length < length) return incompleteProxyHeader;
  if (command === versionAndLocal) return { kind: 'complete', octets: length, client: null };
  return readProxied(octets.subarray(0, length));
};

/** Maximum octets of a header, including its line end (PROXY protocol, section 2.1). */
const maxOctets = 107;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Octets of the line without its end; a reading if the line is incomplete or invalid. */
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

/** The canonical text of an address of the declared family, or null. */
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
 * Parses a version 1 header, a line of text (PROXY protocol, section 2.1). The grammar is strict: one space
 * between words, no leading zeros, nothing after the last word. `UNKNOWN` ignores the rest of the line.
 */
const readTextProxyHeader = (octets: Uint8Array): ProxyHeaderReading => {
  const length = lineLength(octets);
  if (typeof length !== 'number') return length;
  const words = String.fromCharCode(...octets.subarray(0, length)).split(' ');
  if (words[1] === 'UNKNOWN') return { kind: 'complete', octets: length + 2, client: null };
  const client = clientOf(words);
  return client === null ? faultyProxyHeader('malformed') : { kind: 'complete', octets: length + 2, client };
};

/** `PROXY `. Neither this nor the version 2 signature is a prefix of the other. */
const textBegin: readonly number[] = [0x50, 0x52, 0x4f, 0x58, 0x59, 0x20];
const binaryBegin: readonly number[] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a];

/** Whether the octets and the signature agree as far as both go. */
const agrees = (octets: Uint8Array, begin: readonly number[]): boolean => {
  for (let index = 0; index < Math.min(octets.length, begin.length); index += 1) {
    if (octets[index] !== begin[index]) return false;
  }
  return true;
};

/**
 * Parses the PROXY protocol header, version 1 or 2, at the start of a connection
 * (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt). Only `incompleteProxyHeader` can change with
 * more octets. It never results from more than 4111 octets.
 *
 * @param octets everything received until now
 */
export const readProxyHeader = (octets: Uint8Array): ProxyHeaderReading => {
  if (octets.length === 0) return incompleteProxyHeader;
  if (agrees(octets, textBegin))
    return octets.length < textBegin.length ? incompleteProxyHeader : readTextProxyHeader(octets);
  if (!agrees(octets, binaryBegin)) return faultyProxyHeader('no_proxy_header');
  return octets.length < binaryBegin.length ? incompleteProxyHeader : readBinaryProxyHeader(octets);
};
