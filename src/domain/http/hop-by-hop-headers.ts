import { listMembers } from './field-syntax.js';
import { fieldTrait, fieldTraits, isHopByHop } from './field-traits.js';
import type { HeaderList } from './header-list.js';

/**
 * End-to-end fields, which Connection cannot remove. Otherwise a client behind a proxy could remove the
 * fields that this proxy sets.
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

/** Fields that identify the client, in any spelling. */
const saysWho = fieldTrait.forwarded | fieldTrait.claim | fieldTrait.claimInDisguise;

const isEndToEnd = (lowerName: string): boolean =>
  endToEnd.has(lowerName) || lowerName.startsWith('x-forwarded-') || (fieldTraits(lowerName) & saysWho) !== 0;

/** The length excludes most names. */
const connectionLength = 'connection'.length;

/** Field names in Connection, in lower case; null if all of them are dropped anyway. */
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
 * Removes hop-by-hop fields, in either direction, including spellings that a lenient reader accepts
 * (`Transfer_Encoding`). Keeps `TE: trailers`. Returns the same list if nothing changes. The caller sets
 * Connection and Upgrade for a WebSocket tunnel.
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
