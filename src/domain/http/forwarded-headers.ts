import type { ClientAddress } from './client-address.js';
import type { ConnectionHeaderCache } from './connection-header-cache.js';
import { trimSpace } from './field-list.js';
import { fieldTrait, fieldTraits } from './field-traits.js';
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
  /** What is known of the peer; null: nothing. */
  readonly known: ConnectionHeaderCache | null;
}

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

/** Fields of this kind are passed on neither as they are nor in disguise; those that only claim something are, from a trusted peer. */
export const droppedForwarding = (peerTrusted: boolean): number =>
  fieldTrait.forwarded | fieldTrait.claimInDisguise | (peerTrusted ? 0 : fieldTrait.claim);

/**
 * Adds X-Forwarded-For, -Proto and -Host and Forwarded (RFC 7239) to `fields`. The field of `headers` that the client's
 * address was believed from is continued; the others are written anew from what was found, so that no two of them disagree.
 */
export const addForwardedHeaders = (fields: string[], headers: HeaderList, facts: ForwardingFacts): void => {
  const { client, known } = facts;
  const peer = client.source === 'connection' ? client.address : peerText(facts.peerAddress);
  const host = client.host ?? facts.host;
  const isDirect = client.source === 'connection';
  fields.push('X-Forwarded-For', isDirect ? peer : forwardedForValue(headers, facts, peer));
  fields.push('X-Forwarded-Proto', client.scheme ?? facts.scheme);
  if (host !== null) fields.push('X-Forwarded-Host', host);
  const remembered = known !== null && known.client === client ? known.forwarded(facts.host) : null;
  fields.push('Forwarded', remembered ?? forwardedValue(headers, facts, peer));
};

/**
 * Sets X-Forwarded-For, -Proto and -Host and Forwarded for the upstream, see `addForwardedHeaders`. From an untrusted peer
 * nothing that speaks of a client is kept; names that only look like them (`X_Real_IP`) are never kept.
 */
export const withForwardedHeaders = (headers: HeaderList, facts: ForwardingFacts): HeaderList => {
  const dropped = droppedForwarding(facts.client.peerTrusted);
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if ((fieldTraits(name) & dropped) === 0) kept.push(name, headers[index + 1] as string);
  }
  addForwardedHeaders(kept, headers, facts);
  return kept;
};
