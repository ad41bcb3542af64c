import { parseDecimal } from '../shared/decimal.js';
import { type CidrSet, includesAddress } from './cidr-set.js';
import { trimSpace } from './field-syntax.js';
import { type ForwardedElement, parseForwardedElement } from './forwarded-element.js';
import { allHeaders, type HeaderList } from './header-list.js';
import { parseAuthority } from './host.js';
import { formatIpAddress, type IpAddress, parseIpAddress } from './ip-address.js';

/** An address that a proxy wrote into a forwarding field. */
interface ForwardingNode {
  readonly address: IpAddress;
  /** 0 where none is given. */
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
 * Reads `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:80`; null for everything else,
 * `unknown` and obfuscated names among it (RFC 7239, section 6).
 */
const parseForwardingNode = (text: string): ForwardingNode | null => {
  if (text.startsWith('[')) return bracketedNode(text);
  const colon = text.indexOf(':');
  if (colon < 0 || colon !== text.lastIndexOf(':')) return node(text, null);
  return node(text.slice(0, colon), text.slice(colon + 1));
};

/** Where a request came from, as far as it can be believed. */
export interface ClientAddress {
  /** In canonical text: an IPv4-mapped address is written as IPv4. */
  readonly address: string;
  /** 0 where it is not known: proxies rarely pass it on. */
  readonly port: number;
  /** The peer of the connection is in `trusted-proxies`. */
  readonly peerTrusted: boolean;
  /** Which field was believed; `connection` where none was. */
  readonly source: 'connection' | 'x_forwarded_for' | 'forwarded';
  /** What the client spoke to the outermost trusted proxy; null where none says. */
  readonly scheme: 'http' | 'https' | null;
  /** The host (and port) that the client asked for; null where no trusted proxy says. */
  readonly host: string | null;
}

export interface PeerAddress {
  readonly peerAddress: string;
  readonly peerPort: number;
  /** As they came, before any was dropped. */
  readonly headers: HeaderList;
  readonly trusted: CidrSet;
}

/** Hops that are looked at; a longer chain ends here. */
const maxHops = 32;

/** Members of all lines of a list field, the last first, `maxHops` at the most; empty ones are none (RFC 9110, section 5.6.1.2). */
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
  /** Index of the hop, from the right; -1 where none was believed. */
  readonly hop: number;
  readonly node: ForwardingNode | null;
}

/** Walks from the nearest hop outwards, to the first that is no trusted proxy or no address. */
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

/** The member that the proxy of a hop wrote. A shorter list has one value for all, or was begun further in. */
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
 * The client of a request. An untrusted peer is the client itself, whatever its fields say. Behind a trusted peer it is
 * the rightmost address of X-Forwarded-For (of Forwarded, RFC 7239, where there is none) that is no trusted proxy. An
 * entry that is no address ends the walk: the client is then the last one that could be believed. Where every hop is
 * trusted it is the leftmost. That is what nginx finds with `real_ip_recursive on`. Where both fields are there and say
 * different things Forwarded counts for nothing: far more proxies write the other one, and pass on what clients write here.
 */
export const clientAddress = ({ peerAddress, peerPort, headers, trusted }: PeerAddress): ClientAddress => {
  const peer = parseIpAddress(peerAddress);
  const address = peer === null ? peerAddress : formatIpAddress(peer);
  if (peer === null || !includesAddress(trusted, peer)) {
    return { address, port: peerPort, peerTrusted: false, source: 'connection', scheme: null, host: null };
  }
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
