import type { ClientAddress } from './client-address.js';
import type { ConnectionHeaderCache } from './connection-header-cache.js';
import { correlationIdHeader } from './correlation-id.js';
import { trimSpace } from './field-syntax.js';
import { fieldTrait, fieldTraits } from './field-traits.js';
import { formatForwardedElement } from './forwarded-element.js';
import { allHeaders, type HeaderList } from './header-list.js';
import { type HeaderSummary, knownOf, traitsOf } from './header-summary.js';
import { nominatedByConnection, takesTrailers } from './hop-by-hop-headers.js';
import { formatIpAddress, parseIpAddress } from './ip-address.js';
import { hasOwned, isOwned, type OwnedHeaders } from './owned-headers.js';
import { RepeatedHeaderCache } from './repeated-header-cache.js';

interface ForwardingFacts {
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
const droppedForwarding = (peerTrusted: boolean): number =>
  fieldTrait.forwarded | fieldTrait.claimInDisguise | (peerTrusted ? 0 : fieldTrait.claim);

/**
 * Adds X-Forwarded-For, -Proto and -Host and Forwarded (RFC 7239) to `fields`. The field of `headers` that the client's
 * address was believed from is continued; the others are written anew from what was found, so that no two of them disagree.
 */
const addForwardedHeaders = (fields: string[], headers: HeaderList, facts: ForwardingFacts): void => {
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

/** What the fields of a request are made from, besides those that came. */
export interface ForwardableParts extends ForwardingFacts {
  /** Fields that the client may not send; null: there are none. */
  readonly owned: OwnedHeaders | null;
  /** Certificates that can be believed: as they stand, whatever their names. */
  readonly certificateFields: HeaderList;
  readonly correlationId: string;
}

/** Whether a field goes on as another one, or not at all. */
const changed = fieldTrait.hopByHop | fieldTrait.te | fieldTrait.connection | fieldTrait.correlationId;

/** Whether all fields go on, with no more than the Host written anew. */
const allGoOn = ({ fields, traits }: HeaderSummary, { owned, client }: ForwardableParts): boolean =>
  (traits & (changed | droppedForwarding(client.peerTrusted))) === 0 && (owned === null || !hasOwned(fields, owned));

/** The same list where it is one of which all fields go on. */
const copied = ({ fields, hostAt }: HeaderSummary, host: string | null): string[] => {
  const copy = fields.slice();
  if (hostAt < 0 || host === null) return copy;
  // The very texts of the list are left where they say the same: who writes them finds them again.
  if (copy[hostAt] !== 'Host') copy[hostAt] = 'Host';
  if (copy[hostAt + 1] !== host) copy[hostAt + 1] = host;
  return copy;
};

/**
 * The fields of a request as agents and the upstream see them, from those that the client sent. What is nominated in
 * Connection goes first, so that a client cannot have removed what is set later; certificates that can be believed come
 * after all that is removed. There is one Host where `host` is known, and one correlation id.
 *
 * @param known what is known of these fields, or of others
 */
export const forwardableFields = (
  headers: HeaderList,
  parts: ForwardableParts,
  known: HeaderSummary | null = null,
): HeaderList => {
  const found = knownOf(headers, known);
  if (found === null) return fieldByField(headers, parts, traitsOf(headers, known));
  const fields = ofKnown(found, parts);
  if (mayComeAgain(found, parts)) {
    (parts.known as ConnectionHeaderCache).rememberGoingOn(found.fields, parts.owned, parts.host, fields);
    found.goingOn = fields;
  }
  return fields;
};

/** The same where it was made of the very same fields before, and they differ in their correlation id alone; null: it was not. */
export const forwardedAgain = (
  headers: HeaderList,
  parts: ForwardableParts,
  known: HeaderSummary | null = null,
): RepeatedHeaderCache | null => {
  const found = knownOf(headers, known);
  if (found === null || !mayComeAgain(found, parts)) return null;
  const before = (parts.known as ConnectionHeaderCache).goingOn(found.fields, parts.owned, parts.host);
  return before === null ? null : RepeatedHeaderCache.of(before, before.length - 1, parts.correlationId);
};

const ofKnown = (found: HeaderSummary, parts: ForwardableParts): HeaderList => {
  if (!allGoOn(found, parts)) return fieldByField(found.fields, parts, found.traits);
  const fields = copied(found, parts.host);
  addOwn(fields, found.fields, parts, found.hostAt >= 0, false);
  return fields;
};

/** Whether the next request with the very same fields differs in no more than its correlation id, at the end of what goes on. */
const mayComeAgain = (
  { comesAgain, traits }: HeaderSummary,
  { certificateFields, client, known }: ForwardableParts,
): boolean =>
  comesAgain &&
  (traits & fieldTrait.correlationId) === 0 &&
  certificateFields.length === 0 &&
  known !== null &&
  known.client === client;

/** `all`: the traits of all names, or more than those. */
const fieldByField = (headers: HeaderList, parts: ForwardableParts, all: number): HeaderList => {
  const { owned, host, correlationId } = parts;
  const nominated = (all & fieldTrait.connection) === 0 ? null : nominatedByConnection(headers);
  const dropped = fieldTrait.hopByHop | droppedForwarding(parts.client.peerTrusted);
  const fields: string[] = [];
  let hasHost = false;
  let hasCorrelationId = false;
  let hasTe = false;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (owned !== null && isOwned(owned, name)) continue;
    const traits = fieldTraits(name);
    if (traits === 0) {
      if (nominated === null || !nominated.has(name.toLowerCase())) fields.push(name, value);
    } else if ((traits & fieldTrait.te) !== 0) {
      if (!hasTe && takesTrailers(value)) {
        hasTe = true;
        fields.push(name, 'trailers');
      }
    } else if ((traits & dropped) !== 0 || nominated?.has(name.toLowerCase()) === true) {
    } else if ((traits & fieldTrait.host) !== 0 && host !== null) {
      if (!hasHost) fields.push('Host', host);
      hasHost = true;
    } else if ((traits & fieldTrait.correlationId) !== 0) {
      if (!hasCorrelationId) fields.push(correlationIdHeader, correlationId);
      hasCorrelationId = true;
    } else fields.push(name, value);
  }
  addOwn(fields, headers, parts, hasHost, hasCorrelationId);
  return fields;
};

/** Adds what the gateway says of the request behind the fields of the client. */
const addOwn = (
  fields: string[],
  headers: HeaderList,
  parts: ForwardableParts,
  hasHost: boolean,
  hasCorrelationId: boolean,
): void => {
  const { certificateFields, host, correlationId } = parts;
  for (let index = 0; index + 1 < certificateFields.length; index += 2) {
    fields.push(certificateFields[index] as string, certificateFields[index + 1] as string);
  }
  addForwardedHeaders(fields, headers, parts);
  if (!hasHost && host !== null) fields.push('Host', host);
  if (!hasCorrelationId) fields.push(correlationIdHeader, correlationId);
};
