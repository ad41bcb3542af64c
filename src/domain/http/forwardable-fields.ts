import type { ConnectionHeaderCache } from './connection-header-cache.js';
import { correlationIdHeader } from './correlation-id.js';
import { fieldTrait, fieldTraits } from './field-traits.js';
import { addForwardedHeaders, droppedForwarding, type ForwardingFacts } from './forwarded-headers.js';
import type { HeaderList } from './header-list.js';
import { type HeaderSummary, knownOf, traitsOf } from './header-summary.js';
import { nominatedByConnection, takesTrailers } from './hop-by-hop-headers.js';
import { hasOwned, isOwned, type OwnedHeaders } from './owned-headers.js';
import { RepeatedHeaderCache } from './repeated-header-cache.js';

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
