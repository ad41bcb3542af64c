import { listMembers } from './field-syntax.js';
import { fieldTrait, fieldTraits, isHopByHop } from './field-traits.js';
import type { HeaderList } from './header-list.js';

/**
 * Fields that Connection cannot nominate: they are meant for every recipient, and a client behind a proxy in front of
 * the gateway could otherwise remove what that proxy says of it.
 */
const endToEnd: ReadonlySet<string> = new Set([
  'authorization',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'set-cookie',
  'x-correlation-id',
]);

/** What says who a client is, in any spelling. */
const saysWho = fieldTrait.forwarded | fieldTrait.claim | fieldTrait.claimInDisguise;

const isEndToEnd = (lowerName: string): boolean =>
  endToEnd.has(lowerName) || lowerName.startsWith('x-forwarded-') || (fieldTraits(lowerName) & saysWho) !== 0;

/** Most names are told apart by their lengths. */
const connectionLength = 'connection'.length;

/** What the Connection fields nominate, in lower case; null where it is nothing beyond what is dropped anyway. */
export const nominatedByConnection = (headers: HeaderList): ReadonlySet<string> | null => {
  let nominated: Set<string> | null = null;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length !== connectionLength || (fieldTraits(name) & fieldTrait.connection) === 0) continue;
    const value = headers[index + 1] as string;
    if (value === 'keep-alive' || value === 'close') continue;
    for (const member of listMembers(value)) {
      const option = member.toLowerCase();
      if (isHopByHop(option) || isEndToEnd(option)) continue;
      nominated ??= new Set();
      nominated.add(option);
    }
  }
  return nominated;
};

export const takesTrailers = (te: string): boolean =>
  te === 'trailers' || listMembers(te).some((member) => member.toLowerCase() === 'trailers');

/**
 * The fields that may be passed on, in either direction. What only a careless reader takes for a hop-by-hop field
 * (`Transfer_Encoding`) is dropped as that field is. `TE: trailers` stays (alone: codings are between neighbours).
 * The gateway sets its own Connection and Upgrade where it tunnels a WebSocket. Gives the same list back where nothing
 * had to go.
 */
export const withoutHopByHop = (headers: HeaderList): HeaderList => {
  const nominated = nominatedByConnection(headers);
  let kept: string[] | null = null;
  let keepsTrailers = false;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    const traits = fieldTraits(name);
    if ((traits & fieldTrait.hopByHop) === 0 && (nominated === null || !nominated.has(name.toLowerCase()))) {
      kept?.push(name, value);
      continue;
    }
    kept ??= headers.slice(0, index);
    if ((traits & fieldTrait.te) !== 0 && !keepsTrailers && takesTrailers(value)) {
      keepsTrailers = true;
      kept.push(name, 'trailers');
    }
  }
  return kept ?? headers;
};
