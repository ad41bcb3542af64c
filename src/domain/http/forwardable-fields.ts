import { isOwned, type OwnedHeaders } from '../identity/owned-headers.js';
import { correlationIdHeader } from './correlation-id.js';
import { fieldTrait, fieldTraits } from './field-traits.js';
import { addForwardedHeaders, droppedForwarding, type ForwardingFacts } from './forwarded-headers.js';
import type { HeaderList } from './header-list.js';
import { nominatedByConnection, takesTrailers } from './hop-by-hop-headers.js';

/** What the fields of a request are made from, besides those that came. */
export interface ForwardableParts extends ForwardingFacts {
  /** Fields that the client may not send; null: there are none. */
  readonly owned: OwnedHeaders | null;
  /** Certificates that can be believed: as they stand, whatever their names. */
  readonly certificateFields: HeaderList;
  readonly correlationId: string;
}

/**
 * The fields of a request as agents and the upstream see them, from those that the client sent. What is nominated in
 * Connection goes first, so that a client cannot have removed what is set later; certificates that can be believed come
 * after all that is removed. There is one Host where `host` is known, and one correlation id.
 */
export const forwardableFields = (headers: HeaderList, parts: ForwardableParts): HeaderList => {
  const { owned, certificateFields, host, correlationId } = parts;
  const nominated = nominatedByConnection(headers);
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
  for (let index = 0; index + 1 < certificateFields.length; index += 2) {
    fields.push(certificateFields[index] as string, certificateFields[index + 1] as string);
  }
  addForwardedHeaders(fields, headers, parts);
  if (!hasHost && host !== null) fields.push('Host', host);
  if (!hasCorrelationId) fields.push(correlationIdHeader, correlationId);
  return fields;
};
