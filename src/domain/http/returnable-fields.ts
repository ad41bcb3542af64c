import { canonicalName } from './canonical-name.js';
import { correlationIdHeader } from './correlation-id.js';
import { fieldTrait, fieldTraits, nominatedByConnection, takesTrailers, withoutHopByHop } from './field-traits.js';
import type { HeaderList } from './header-list.js';

/** Fields that the gateway sets in every response. */
export interface OwnResponseFields {
  /** The gateway's rate-limit fields. They replace those of the upstream. */
  readonly rateLimitFields: HeaderList;
  /** Fields that name the upstream target. */
  readonly targetFields: HeaderList;
  readonly correlationId: string;
}

/** Traits that this status excludes: a 204 has no Content-Length (RFC 9110, section 8.6). */
const ofStatus = (status: number): number => (status === 204 ? fieldTrait.contentLength : 0);

const ratesIn = ({ rateLimitFields }: OwnResponseFields): number => (rateLimitFields.length > 0 ? fieldTrait.rates : 0);

/** Appends the response fields that pass, then the gateway's own. */
const addFields = (
  fields: string[],
  headers: HeaderList,
  dropped: number,
  nominated: ReadonlySet<string> | null,
  own: OwnResponseFields,
): void => {
  const { rateLimitFields, targetFields, correlationId } = own;
  let hasCorrelationId = false;
  let hasTe = false;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    const traits = fieldTraits(name);
    if (traits === 0 && nominated === null) fields.push(name, value);
    else if ((traits & dropped) !== 0 || nominated?.has(name.toLowerCase()) === true) {
      if ((traits & fieldTrait.te) !== 0 && !hasTe && takesTrailers(value)) {
        hasTe = true;
        fields.push(name, 'trailers');
      }
    } else if ((traits & fieldTrait.correlationId) === 0) fields.push(name, value);
    else if (!hasCorrelationId) {
      hasCorrelationId = true;
      fields.push(correlationIdHeader, correlationId);
    }
  }
  for (let index = 0; index < rateLimitFields.length; index += 1) fields.push(rateLimitFields[index] as string);
  for (let index = 0; index < targetFields.length; index += 1) fields.push(targetFields[index] as string);
  if (!hasCorrelationId) fields.push(correlationIdHeader, correlationId);
};

/** The response fields for the client: without hop-by-hop fields, with the gateway's own. */
export const returnableFields = (headers: HeaderList, status: number, own: OwnResponseFields): HeaderList => {
  const fields: string[] = [];
  const dropped = fieldTrait.hopByHop | ofStatus(status) | ratesIn(own);
  addFields(fields, headers, dropped, nominatedByConnection(headers), own);
  return fields;
};

/** As `returnableFields`, for fields without hop-by-hop fields. */
export const withOwnFields = (headers: HeaderList, own: OwnResponseFields): HeaderList => {
  const fields: string[] = [];
  addFields(fields, headers, ratesIn(own), null, own);
  return fields;
};

/**
 * Whether a field of an upstream's response is dropped without effect on other fields.
 *
 * @param traits traits of its name
 */
export const isDroppedAlone = (traits: number, value: string): boolean =>
  (traits & fieldTrait.hopByHop) !== 0 &&
  (traits & fieldTrait.te) === 0 &&
  ((traits & fieldTrait.connection) === 0 || value === 'keep-alive' || value === 'close');

const changed = fieldTrait.hopByHop | fieldTrait.te | fieldTrait.connection | fieldTrait.correlationId;

/**
 * Whether `returnableFields` of a response equals its fields, except for those that
 * `isDroppedAlone`, followed by `ownFields`.
 *
 * @param traits traits of all names except theirs
 */
export const passUnchanged = (traits: number, status: number, own: OwnResponseFields): boolean =>
  (traits & (changed | ofStatus(status) | ratesIn(own))) === 0;

/** The fields that the gateway appends to such a response. */
export const ownFields = ({ rateLimitFields, targetFields, correlationId }: OwnResponseFields): HeaderList =>
  rateLimitFields.length === 0 && targetFields.length === 0
    ? [correlationIdHeader, correlationId]
    : [...rateLimitFields, ...targetFields, correlationIdHeader, correlationId];

/** Whether a response with this status has no content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304;

/**
 * Whether a response with this status has no Content-Length (RFC 9110, section 8.6). That of a 304 would
 * describe the 200.
 */
export const isUnframed = (status: number): boolean => status === 204 || status === 304;

/** Octets that each field adds to its name and value (RFC 9113, section 6.5.2). */
const fieldOverhead = 32;
/** Octets that each status line adds. */
const messageOverhead = 64;

/** Maximum octets of interim responses per request; further ones are dropped. */
export const maxInterimOctets = 16_384;

/**
 * Whether to forward an interim response (RFC 9110, section 15.2). The gateway itself sends 100, and 101 is
 * final.
 */
export const isForClient = (status: number): boolean => status > 101 && status < 200;

/** Octets that an interim response adds towards `maxInterimOctets`. */
export const interimOctets = (fields: HeaderList): number => {
  let octets = messageOverhead;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    octets += (fields[at] as string).length + (fields[at + 1] as string).length + fieldOverhead;
  }
  return octets;
};

/**
 * Fields that the gateway sets in the final response, and fields without meaning here: Content-Length (RFC
 * 9110, section 8.6) and TE.
 */
const ownTraits = fieldTrait.contentLength | fieldTrait.te | fieldTrait.correlationId | fieldTrait.rates;

/**
 * The fields of an interim response that may be forwarded.
 *
 * @param settled whether the final response decides about a canonical name
 */
export const passableInterim = (headers: HeaderList, settled: (canonical: string) => boolean): HeaderList => {
  const fields = withoutHopByHop(headers);
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    if ((fieldTraits(name) & ownTraits) === 0 && !settled(canonicalName(name)))
      kept.push(name, fields[at + 1] as string);
  }
  return kept;
};
