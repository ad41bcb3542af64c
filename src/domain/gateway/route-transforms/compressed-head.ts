import { withoutContentEncoding } from '../../http/content-codings.js';
import { listMembers } from '../../http/field-syntax.js';
import { allHeaders, type HeaderList, withHeader } from '../../http/header-list.js';
import type { CompressionCoding } from './accepted-coding.js';
import { isDigest } from './compression-rules.js';

/** The head with Accept-Encoding in Vary (RFC 9110, section 12.5.5). Returns the same list if it is there. */
export const varyingByEncoding = (headers: HeaderList): HeaderList => {
  const values = allHeaders(headers, 'vary');
  const members = values.flatMap(listMembers);
  if (members.some((member) => member === '*' || member.toLowerCase() === 'accept-encoding')) return headers;
  return withHeader(headers, 'Vary', [...members, 'Accept-Encoding'].join(', '));
};

/**
 * The head of a response whose GET would be compressed: a weak ETag, because the coded octets differ from the
 * upstream's; no Accept-Ranges; no Content-Length, which must equal that of the GET (RFC 9110, section 8.6).
 */
export const headOfCompressed = (headers: HeaderList): HeaderList => {
  const fields: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] as string;
    const value = headers[at + 1] as string;
    switch (name.toLowerCase()) {
      case 'content-length':
      case 'accept-ranges':
        break;
      case 'etag': {
        const weak = weakened(value);
        if (weak !== null) fields.push(name, weak);
        break;
      }
      default:
        fields.push(name, value);
    }
  }
  return varyingByEncoding(fields);
};

/**
 * The head of a compressed response.
 *
 * @param octets length of the compressed body; null if unknown
 */
export const compressedHead = (headers: HeaderList, coding: CompressionCoding, octets: number | null): HeaderList => [
  ...headOfCompressed(withoutContentEncoding(headers)),
  'Content-Encoding',
  coding,
  ...(octets === null ? [] : ['Content-Length', String(octets)]),
];

/** The trailers without digests, which the coding makes wrong. */
export const trailersOfCompressed = (trailers: HeaderList): HeaderList =>
  trailers.filter((_, index) => !isDigest(trailers[index - (index % 2)] as string));

/** The weak form of an entity tag (RFC 9110, section 8.8.1); null if it is malformed. */
const weakened = (etag: string): string | null => {
  if (etag.startsWith('W/')) return etag;
  return etag.startsWith('"') ? `W/${etag}` : null;
};
