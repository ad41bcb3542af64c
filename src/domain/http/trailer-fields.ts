import { canonicalName } from './canonical-name.js';
import { isHopByHop } from './field-traits.js';
import type { HeaderList } from './header-list.js';

/**
 * Fields that must not be trailers (RFC 9110, section 6.5.1): they control framing, routing, caching or
 * access. Merging them would change decisions that the recipient has made.
 */
const headOnly: ReadonlySet<string> = new Set([
  'age',
  'authentication-info',
  'authorization',
  'cache-control',
  'clear-site-data',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-location',
  'content-range',
  'content-security-policy',
  'content-type',
  'cookie',
  'date',
  'expires',
  'host',
  'location',
  'pragma',
  'refresh',
  'retry-after',
  'set-cookie',
  'strict-transport-security',
  'vary',
  'www-authenticate',
  'x-correlation-id',
]);

const isHeadOnly = (canonical: string): boolean =>
  headOnly.has(canonical) || isHopByHop(canonical) || canonical.startsWith('access-control-');

/**
 * The trailer fields that may be forwarded.
 *
 * @param settled whether the head has decided about a canonical name
 */
export const passableTrailers = (trailers: HeaderList, settled: (canonical: string) => boolean): HeaderList => {
  const kept: string[] = [];
  for (let index = 0; index + 1 < trailers.length; index += 2) {
    const name = trailers[index] as string;
    const canonical = canonicalName(name);
    if (!isHeadOnly(canonical) && !settled(canonical)) kept.push(name, trailers[index + 1] as string);
  }
  return kept;
};
