import { fieldTraits, type HeaderSummary } from '../../../src/domain/http/field-traits.js';
import type { HeaderList } from '../../../src/domain/http/header-list.js';

/** Where the fields of this name, in any case, begin in a list. */
const places = (headers: HeaderList, lowerName: string): number[] =>
  headers.flatMap((text, at) => (at % 2 === 0 && text.toLowerCase() === lowerName ? [at] : []));

/**
 * What is to be known of the fields of a request; null where a reader refuses them, as Host or Content-Length is
 * repeated.
 */
export const knownFields = (headers: HeaderList): HeaderSummary | null => {
  const hosts = places(headers, 'host');
  const lengths = places(headers, 'content-length');
  if (hosts.length > 1 || lengths.length > 1) return null;
  const names = headers.filter((_, at) => at % 2 === 0);
  return {
    fields: headers,
    traits: names.reduce((traits, name) => traits | fieldTraits(name), 0),
    octets: headers.reduce((octets, text) => octets + text.length + 2, 0),
    longestName: Math.max(...names.map((name) => name.length), 64),
    hostAt: hosts[0] ?? -1,
    lengthAt: lengths[0] ?? -1,
  };
};
