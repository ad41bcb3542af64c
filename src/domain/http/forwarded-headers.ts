import { canonicalName } from './canonical-name.js';
import type { ClientAddress } from './client-address.js';
import { trimSpace } from './field-list.js';
import { formatForwardedElement } from './forwarded-element.js';
import { allHeaders, type HeaderList } from './header-list.js';
import { formatIpAddress, parseIpAddress } from './ip-address.js';

export interface ForwardingFacts {
  /** What `clientAddress` found. */
  readonly client: ClientAddress;
  readonly peerAddress: string;
  /** What the peer spoke to the gateway. */
  readonly scheme: 'http' | 'https';
  /** Host (and port) of the request as it came, checked; null where an HTTP/1.0 request has none. */
  readonly host: string | null;
}

/** The fields that the gateway writes itself. */
const written: ReadonlySet<string> = new Set(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

/** Further fields that say who a client is; believed from trusted proxies alone. */
const claimed: ReadonlySet<string> = new Set([
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-forwarded',
  'x-forwarded-port',
  'x-forwarded-prefix',
  'x-forwarded-scheme',
  'x-forwarded-server',
  'x-forwarded-ssl',
  'x-original-forwarded-for',
  'x-real-ip',
]);

const isDropped = (name: string, peerTrusted: boolean): boolean => {
  const first = name.charCodeAt(0) | 0x20;
  // x, f and t: nearly every field is told apart by its first letter.
  if (first !== 0x78 && first !== 0x66 && first !== 0x74) return false;
  const canonical = canonicalName(name);
  if (written.has(canonical)) return true;
  return claimed.has(canonical) && (!peerTrusted || canonical !== name.toLowerCase());
};

/** What the peer was told, with the peer itself at the end. Lines without a word are left out. */
const appended = (previous: readonly string[], entry: string): string =>
  [...previous.filter((line) => trimSpace(line) !== ''), entry].join(', ');

const peerText = (peerAddress: string): string => {
  const address = parseIpAddress(peerAddress);
  return address === null ? peerAddress : formatIpAddress(address);
};

/** The client and, where that is another, the peer: for a chain that no believed field tells. */
const hopsOf = (facts: ForwardingFacts, peer: string): readonly string[] =>
  facts.client.address === peer ? [] : [facts.client.address];

const forwardedValue = (headers: HeaderList, facts: ForwardingFacts, peer: string): string => {
  const { client } = facts;
  const nearest = { proto: facts.scheme, host: facts.host };
  if (client.source === 'forwarded') {
    return appended(allHeaders(headers, 'forwarded'), formatForwardedElement({ for: peer, ...nearest }));
  }
  const outer = { proto: client.scheme ?? facts.scheme, host: client.host ?? facts.host };
  const hops = hopsOf(facts, peer);
  if (hops.length === 0) return formatForwardedElement({ for: peer, ...outer });
  const elements = hops.map((hop) => formatForwardedElement({ for: hop, ...outer }));
  return appended(elements, formatForwardedElement({ for: peer, ...nearest }));
};

const forwardedForValue = (headers: HeaderList, facts: ForwardingFacts, peer: string): string => {
  const { source } = facts.client;
  return appended(source === 'x_forwarded_for' ? allHeaders(headers, 'x-forwarded-for') : hopsOf(facts, peer), peer);
};

/**
 * Sets X-Forwarded-For, -Proto and -Host and Forwarded (RFC 7239) for the upstream. The field that the client's address
 * was believed from is continued; the others are written anew from what was found, so that no two of them disagree.
 * From an untrusted peer nothing that speaks of a client is kept; names that only look like them (`X_Real_IP`) are never kept.
 */
export const withForwardedHeaders = (headers: HeaderList, facts: ForwardingFacts): HeaderList => {
  const { client } = facts;
  const peer = peerText(facts.peerAddress);
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!isDropped(name, client.peerTrusted)) kept.push(name, headers[index + 1] as string);
  }
  kept.push('X-Forwarded-For', forwardedForValue(headers, facts, peer));
  kept.push('X-Forwarded-Proto', client.scheme ?? facts.scheme);
  const host = client.host ?? facts.host;
  if (host !== null) kept.push('X-Forwarded-Host', host);
  kept.push('Forwarded', forwardedValue(headers, facts, peer));
  return kept;
};
