import { canonicalName } from './canonical-name.js';
import { fieldTrait, fieldTraits } from './field-traits.js';
import type { HeaderList } from './header-list.js';
import { withoutHopByHop } from './hop-by-hop-headers.js';

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
