import { canonicalName } from './canonical-name.js';
import { fieldTrait, fieldTraits } from './field-traits.js';
import type { HeaderList } from './header-list.js';
import { withoutHopByHop } from './hop-by-hop-headers.js';

/** Whether a response of this status never has content (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** Whether a response of this status says no length either (RFC 9110, section 8.6; a 304 would tell that of the 200). */
export const isUnframed = (status: number): boolean => status === 204 || status === 304;

/** What a field counts beside its name and value where header lists are measured (RFC 9113, section 6.5.2). */
const fieldOverhead = 32;
/** The same for a status line, or what stands for one. */
const messageOverhead = 64;

/** Octets of interim responses that are passed on for one request, all together; further ones are left out. */
export const maxInterimOctets = 16_384;

/**
 * Whether an interim response of an upstream is for the client (RFC 9110, section 15.2): 100 answers what the gateway has said
 * itself, and 101 is the final one.
 */
export const isForClient = (status: number): boolean => status > 101 && status < 200;

/** What an interim response counts towards `maxInterimOctets`. */
export const interimOctets = (fields: HeaderList): number => {
  let octets = messageOverhead;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    octets += (fields[at] as string).length + (fields[at + 1] as string).length + fieldOverhead;
  }
  return octets;
};

/** What the gateway says itself, in the response that follows; Content-Length frames nothing here (RFC 9110, section 8.6), and TE is of requests. */
const ownTraits = fieldTrait.contentLength | fieldTrait.te | fieldTrait.correlationId | fieldTrait.rates;

/**
 * The fields of an interim response that may be passed on. `settled` tells of canonical names that others decide about in the
 * response that follows.
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
