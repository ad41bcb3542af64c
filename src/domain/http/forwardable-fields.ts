import { type ClientAddress, formatForwardedElement } from './client-address.js';
import { correlationIdHeader } from './correlation-id.js';
import { trimSpace } from './field-syntax.js';
import {
  fieldTrait,
  fieldTraits,
  type HeaderSummary,
  nominatedByConnection,
  summaryOf,
  takesTrailers,
  traitsOf,
} from './field-traits.js';
import { allHeaders, type HeaderList } from './header-list.js';
import { formatIpAddress, parseIpAddress } from './ip-address.js';
import { hasOwned, isOwned, type OwnedHeaders } from './owned-headers.js';

interface ForwardingInfo {
  /** The result of `clientAddress`. */
  readonly client: ClientAddress;
  readonly peerAddress: string;
  /** Scheme between the peer and the gateway. */
  readonly scheme: 'http' | 'https';
  /** Validated Host (and port) of the request; null for an HTTP/1.0 request without Host. */
  readonly host: string | null;
}

/** Appends the peer to the received list. Skips empty lines. */
const appended = (previous: readonly string[], entry: string): string =>
  [...previous.filter((line) => trimSpace(line) !== ''), entry].join(', ');

const peerText = (peerAddress: string): string => {
  const address = parseIpAddress(peerAddress);
  return address === null ? peerAddress : formatIpAddress(address);
};

/** The client and, if different, the peer. Used if no trusted field has the chain. */
const hopsOf = (forwarding: ForwardingInfo, peer: string): readonly string[] =>
  forwarding.client.address === peer ? [] : [forwarding.client.address];

const forwardedValue = (headers: HeaderList, forwarding: ForwardingInfo, peer: string): string => {
  const { client } = forwarding;
  const nearest = { proto: forwarding.scheme, host: forwarding.host };
  if (client.source === 'forwarded') {
    return appended(allHeaders(headers, 'forwarded'), formatForwardedElement({ for: peer, ...nearest }));
  }
  const outer = { proto: client.scheme ?? forwarding.scheme, host: client.host ?? forwarding.host };
  const hops = hopsOf(forwarding, peer);
  if (hops.length === 0) return formatForwardedElement({ for: peer, ...outer });
  const elements = hops.map((hop) => formatForwardedElement({ for: hop, ...outer }));
  return appended(elements, formatForwardedElement({ for: peer, ...nearest }));
};

const forwardedForValue = (headers: HeaderList, forwarding: ForwardingInfo, peer: string): string => {
  const { source } = forwarding.client;
  return appended(
    source === 'x_forwarded_for' ? allHeaders(headers, 'x-forwarded-for') : hopsOf(forwarding, peer),
    peer,
  );
};

/**
 * Forwarding fields and disguised names are always dropped. Fields that identify the client pass from a
 * trusted peer only.
 */
const droppedForwarding = (peerTrusted: boolean): number =>
  fieldTrait.forwarded | fieldTrait.claimInDisguise | (peerTrusted ? 0 : fieldTrait.claim);

/**
 * Adds X-Forwarded-For, -Proto, -Host and Forwarded (RFC 7239) to `fields`. Extends the field that the client
 * address came from. Writes the other fields anew, so that they all agree.
 */
const addForwardedHeaders = (fields: string[], headers: HeaderList, forwarding: ForwardingInfo): void => {
  const { client } = forwarding;
  const peer = client.source === 'connection' ? client.address : peerText(forwarding.peerAddress);
  const host = client.host ?? forwarding.host;
  const isDirect = client.source === 'connection';
  fields.push('X-Forwarded-For', isDirect ? peer : forwardedForValue(headers, forwarding, peer));
  fields.push('X-Forwarded-Proto', client.scheme ?? forwarding.scheme);
  if (host !== null) fields.push('X-Forwarded-Host', host);
  fields.push('Forwarded', forwardedValue(headers, forwarding, peer));
};

/**
 * Sets X-Forwarded-For, -Proto, -Host and Forwarded for the upstream; see `addForwardedHeaders`. Drops all
 * client fields of an untrusted peer. Always drops names that resemble them (`X_Real_IP`).
 */
export const withForwardedHeaders = (headers: HeaderList, forwarding: ForwardingInfo): HeaderList => {
  const dropped = droppedForwarding(forwarding.client.peerTrusted);
  const kept: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if ((fieldTraits(name) & dropped) === 0) kept.push(name, headers[index + 1] as string);
  }
  addForwardedHeaders(kept, headers, forwarding);
  return kept;
};

/** The inputs of a request's fields, besides the received ones. */
export interface ForwardableFieldSources extends ForwardingInfo {
  /** Fields that clients must not send; null if there are none. */
  readonly owned: OwnedHeaders | null;
  /** Trusted certificate fields, appended unchanged. */
  readonly certificateFields: HeaderList;
  readonly correlationId: string;
}

/** Traits of fields that are changed or dropped. */
const changed = fieldTrait.hopByHop | fieldTrait.te | fieldTrait.connection | fieldTrait.correlationId;

/** Whether all fields pass and only Host changes. */
const allGoOn = ({ fields, traits }: HeaderSummary, { owned, client }: ForwardableFieldSources): boolean =>
  (traits & (changed | droppedForwarding(client.peerTrusted))) === 0 && (owned === null || !hasOwned(fields, owned));

/** A copy of a list whose fields all pass, with Host set. */
const copied = ({ fields, hostAt }: HeaderSummary, host: string | null): string[] => {
  const copy = fields.slice();
  if (hostAt < 0 || host === null) return copy;
  // Unchanged strings stay identical: comparing them is cheap.
  if (copy[hostAt] !== 'Host') copy[hostAt] = 'Host';
  if (copy[hostAt + 1] !== host) copy[hostAt + 1] = host;
  return copy;
};

/**
 * The fields of a request for agents and the upstream, from the client's fields. Removes fields
 * named in Connection first, so that a client cannot remove later ones. Adds trusted certificate
 * fields after all removals. Sets one Host if `host` is known, and one correlation id.
 *
 * @param known a summary of these or other fields
 */
export const forwardableFields = (
  headers: HeaderList,
  parts: ForwardableFieldSources,
  known: HeaderSummary | null = null,
): HeaderList => {
  const found = summaryOf(headers, known);
  if (found === null) return fieldByField(headers, parts, traitsOf(headers, known));
  if (!allGoOn(found, parts)) return fieldByField(found.fields, parts, found.traits);
  const fields = copied(found, parts.host);
  addOwn(fields, found.fields, parts, found.hostAt >= 0, false);
  return fields;
};

/** @param all the traits of all names, or a superset */
const fieldByField = (headers: HeaderList, parts: ForwardableFieldSources, all: number): HeaderList => {
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

/** Adds the gateway's own fields after the client's. */
const addOwn = (
  fields: string[],
  headers: HeaderList,
  parts: ForwardableFieldSources,
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
