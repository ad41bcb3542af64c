import { parseDecimal } from '../shared/decimal.js';
import { type CidrSet, includesAddress } from './cidr-set.js';
import { isToken, trimSpace } from './field-syntax.js';
import { allHeaders, type HeaderList } from './header-list.js';
import { formatIpAddress, type IpAddress, parseIpAddress } from './ip-address.js';
import { parseAuthority } from './request-target.js';

/** One element of a Forwarded field (RFC 7239, section 4). `by` and extensions are ignored. */
interface ForwardedElement {
  readonly for: string | null;
  readonly proto: string | null;
  readonly host: string | null;
}

/** A token, or the content of a quoted string; null otherwise. */
const parameterValue = (text: string): string | null => {
  if (!text.startsWith('"')) return isToken(text) ? text : null;
  let value = '';
  for (let index = 1; index < text.length; index += 1) {
    if (text[index] === '"') return index === text.length - 1 ? value : null;
    if (text[index] === '\\') index += 1;
    value += text[index] ?? '';
  }
  return null;
};

/** Parses one element. Null if it is malformed or repeats a parameter. */
const parseForwardedElement = (text: string): ForwardedElement | null => {
  const found: { for: string | null; proto: string | null; host: string | null } = {
    for: null,
    proto: null,
    host: null,
  };
  for (const part of text.split(';')) {
    const pair = trimSpace(part);
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const value = equals < 1 ? null : parameterValue(pair.slice(equals + 1));
    if (value === null) return null;
    const name = pair.slice(0, equals).toLowerCase();
    if (name !== 'for' && name !== 'proto' && name !== 'host') continue;
    if (found[name] !== null) return null;
    found[name] = value;
  }
  return found;
};

/** Quotes the text if it is not a token. Addresses and validated hosts need no escapes. */
const quoted = (text: string): string => (isToken(text) ? text : `"${text}"`);

/** Formats one element. IPv6 addresses get brackets. */
export const formatForwardedElement = (element: ForwardedElement): string => {
  let text = '';
  const { for: node, proto, host } = element;
  if (node !== null) text = `for=${quoted(node.includes(':') ? `[${node}]` : node)}`;
  if (proto !== null) text += `${text === '' ? '' : ';'}proto=${proto}`;
  if (host !== null) text += `${text === '' ? '' : ';'}host=${quoted(host)}`;
  return text;
};

/** An address that a proxy wrote into a forwarding field. */
interface ForwardingNode {
  readonly address: IpAddress;
  /** 0 if absent. */
  readonly port: number;
}

const node = (host: string, portText: string | null): ForwardingNode | null => {
  const address = parseIpAddress(host);
  const port = portText === null ? 0 : parseDecimal(portText, 5);
  return address === null || port === null || port > 65_535 ? null : { address, port };
};

const bracketedNode = (text: string): ForwardingNode | null => {
  const end = text.indexOf(']');
  const host = text.slice(1, end);
  const rest = text.slice(end + 1);
  if (end < 0 || !host.includes(':')) return null;
  if (rest === '') return node(host, null);
  return rest.startsWith(':') ? node(host, rest.slice(1)) : null;
};

/**
 * Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`. Returns null for
 * everything else, including `unknown` and obfuscated identifiers (RFC 7239, section 6).
 */
const parseForwardingNode = (text: string): ForwardingNode | null => {
  if (text.startsWith('[')) return bracketedNode(text);
  const colon = text.indexOf(':');
  if (colon < 0 || colon !== text.lastIndexOf(':')) return node(text, null);
  return node(text.slice(0, colon), text.slice(colon + 1));
};

/** The client of a request, from the connection and from trusted forwarding fields. */
export interface ClientAddress {
  /** In canonical text: an IPv4-mapped address is written as IPv4. */
  readonly address: string;
  /** 0 if unknown: proxies rarely forward the port. */
  readonly port: number;
  /** The peer of the connection is in `trusted-proxies`. */
  readonly peerTrusted: boolean;
  /** The field that the address comes from; `connection` if no field was trusted. */
  readonly source: 'connection' | 'x_forwarded_for' | 'forwarded';
  /** Scheme between the client and the outermost trusted proxy; null if unknown. */
  readonly scheme: 'http' | 'https' | null;
  /** Host (and port) that the client requested, from a trusted proxy; null if unknown. */
  readonly host: string | null;
}

/** The peer of a connection as the client of its requests. */
export interface DirectClient {
  /** Null if the peer's address is not an IP address. */
  readonly ip: IpAddress | null;
  readonly client: ClientAddress;
}

export const directClient = (peerAddress: string, peerPort: number): DirectClient => {
  const ip = parseIpAddress(peerAddress);
  const address = ip === null ? peerAddress : formatIpAddress(ip);
  return {
    ip,
    client: { address, port: peerPort, peerTrusted: false, source: 'connection', scheme: null, host: null },
  };
};

interface PeerAddress {
  readonly peerAddress: string;
  readonly peerPort: number;
  /** The received fields, before any is removed. */
  readonly headers: HeaderList;
  readonly trusted: CidrSet;
}

/** Maximum number of hops to read; the walk ends there. */
const maxHops = 32;

/**
 * Members of all lines of a list field, last first, up to `maxHops`. Skips empty members (RFC 9110, section
 * 5.6.1.2).
 */
const lastMembers = (lines: readonly string[]): string[] => {
  const members: string[] = [];
  for (const line of lines.toReversed()) {
    let end = line.length;
    while (end >= 0 && members.length < maxHops) {
      const comma = end === 0 ? -1 : line.lastIndexOf(',', end - 1);
      const member = trimSpace(line.slice(comma + 1, end));
      if (member !== '') members.push(member);
      end = comma;
    }
  }
  return members;
};

interface Believed {
  /** Index of the trusted hop, from the right; -1 if there is none. */
  readonly hop: number;
  readonly node: ForwardingNode | null;
}

/**
 * Walks from the nearest hop outwards. Stops at the first address that is not a trusted proxy, or before the
 * first invalid one.
 */
const walk = (nodes: readonly (string | null)[], trusted: CidrSet): Believed => {
  let believed: Believed = { hop: -1, node: null };
  for (const [hop, text] of nodes.entries()) {
    const node = text === null ? null : parseForwardingNode(text);
    if (node === null) return believed;
    believed = { hop, node };
    if (!includesAddress(trusted, node.address)) return believed;
  }
  return believed;
};

/**
 * The member that the proxy at a hop wrote. A shorter list has one value for all hops, or starts at an inner
 * proxy.
 */
const memberAt = (lines: readonly string[], hop: number): string | null => {
  const members = lastMembers(lines);
  return members[Math.min(Math.max(hop, 0), members.length - 1)] ?? null;
};

const believedScheme = (text: string | null): 'http' | 'https' | null => {
  const lower = text?.toLowerCase();
  return lower === 'http' || lower === 'https' ? lower : null;
};

const believedHost = (text: string | null): string | null => (text !== null && parseAuthority(text).ok ? text : null);

/**
 * The client of a request, as nginx finds it with `real_ip_recursive on`.
 * An untrusted peer is the client. Behind a trusted peer, the client is the rightmost untrusted address of
 * X-Forwarded-For. If that field is absent, Forwarded (RFC 7239) is used. An invalid entry ends the walk at
 * the last valid address. If every hop is trusted, the client is the leftmost address.
 * X-Forwarded-For wins over Forwarded: more proxies write it, and many pass on a Forwarded field from the
 * client.
 */
export const clientAddress = ({ peerAddress, peerPort, headers, trusted }: PeerAddress): ClientAddress =>
  clientBehind(directClient(peerAddress, peerPort), headers, trusted);

/**
 * The client of a request from a peer that `directClient` describes, which applies to all requests
 * of a connection.
 */
export const clientBehind = ({ ip, client }: DirectClient, headers: HeaderList, trusted: CidrSet): ClientAddress => {
  if (ip === null || !includesAddress(trusted, ip)) return client;
  const { address, port: peerPort } = client;
  const origin = (believed: Believed): { address: string; port: number } =>
    believed.node === null
      ? { address, port: peerPort }
      : { address: formatIpAddress(believed.node.address), port: believed.node.port };

  const forwardedFor = lastMembers(allHeaders(headers, 'x-forwarded-for'));
  const forwarded = allHeaders(headers, 'forwarded');
  if (forwardedFor.length === 0 && forwarded.length > 0) {
    const elements = lastMembers(forwarded).map(parseForwardedElement);
    const believed = walk(
      elements.map((element) => element?.for ?? null),
      trusted,
    );
    const element: ForwardedElement | null = elements[Math.max(believed.hop, 0)] ?? null;
    const scheme = believedScheme(element?.proto ?? null);
    const host = believedHost(element?.host ?? null);
    return { ...origin(believed), peerTrusted: true, source: 'forwarded', scheme, host };
  }
  const believed = walk(forwardedFor, trusted);
  return {
    ...origin(believed),
    peerTrusted: true,
    source: forwardedFor.length > 0 ? 'x_forwarded_for' : 'connection',
    scheme: believedScheme(memberAt(allHeaders(headers, 'x-forwarded-proto'), believed.hop)),
    host: believedHost(memberAt(allHeaders(headers, 'x-forwarded-host'), believed.hop)),
  };
};
