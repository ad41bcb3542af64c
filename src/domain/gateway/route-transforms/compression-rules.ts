import { canonicalName } from '../../http/canonical-name.js';
import { contentCodingsOf } from '../../http/content-codings.js';
import { isEventStream } from '../../http/event-stream.js';
import { listMembers, trimSpace } from '../../http/field-syntax.js';
import { allHeaders, firstHeader, type HeaderList } from '../../http/header-list.js';
import { isBodyless } from '../../http/returnable-fields.js';
import { acceptedCoding, type CompressionCoding } from './accepted-coding.js';

/** The policy `compress` of a route. */
export interface CompressionRules {
  /** Media types in lower case: `type/subtype`, `type/*` or `*\/*`. */
  readonly types: readonly string[];
  /** Smallest body to compress, in octets. */
  readonly minOctets: number;
  /** In order of preference; at least one. */
  readonly encodings: readonly CompressionCoding[];
}

/** The parts of a request that decide about compression. */
export interface CompressibleRequest {
  readonly method: string;
  /** `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string;
  readonly headers: HeaderList;
}

/** The parts of a response that decide about compression. */
export interface CompressibleResponse {
  readonly status: number;
  readonly headers: HeaderList;
}

/**
 * What happens to a response.
 * - `pass`: nothing.
 * - `vary`: it depends on Accept-Encoding, but this client gets it without a coding.
 * - `head`: it answers a HEAD or a conditional request, whose GET would be compressed.
 * - `compress`: its body gets a coding.
 */
export type CompressionDecision =
  | { readonly kind: 'pass' }
  | { readonly kind: 'vary' }
  | { readonly kind: 'head' }
  | { readonly kind: 'compress'; readonly coding: CompressionCoding };

const pass: CompressionDecision = { kind: 'pass' };
const vary: CompressionDecision = { kind: 'vary' };
const head: CompressionDecision = { kind: 'head' };

/** Fields with a digest of the content or of its representation (RFC 1864, RFC 3230, RFC 9530). */
const digests: ReadonlySet<string> = new Set(['content-md5', 'digest', 'content-digest', 'repr-digest']);

const binding: ReadonlySet<string> = new Set([...digests, 'content-range']);
const lengths: ReadonlySet<number> = new Set([...binding, 'trailer'].map(({ length }) => length));

/** Whether fields bind the response to its octets: a range or a digest, in the head or in the trailers. */
const isBoundToOctets = (headers: HeaderList): boolean => {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    // Nearly all names have another length.
    if (!lengths.has((headers[at] as string).length)) continue;
    const name = canonicalName(headers[at] as string);
    if (binding.has(name)) return true;
    if (name === 'trailer' && listMembers(headers[at + 1] as string).some(isDigest)) return true;
  }
  return false;
};

/** Whether a field holds a digest of its content, which a coding makes wrong. */
export const isDigest = (name: string): boolean => digests.has(canonicalName(name));

/** Whether Cache-Control forbids intermediaries to transform the content (RFC 9111, sections 5.2.1.6, 5.2.2.6). */
const forbidsTransform = (headers: HeaderList): boolean =>
  allHeaders(headers, 'cache-control').some((value) =>
    listMembers(value).some((member) => (member.split('=', 1)[0] as string).trim().toLowerCase() === 'no-transform'),
  );

/** The media type in lower case, without parameters; empty if there is none. */
const mediaTypeOf = (headers: HeaderList): string =>
  trimSpace((firstHeader(headers, 'content-type') ?? '').split(';', 1)[0] as string).toLowerCase();

const matchesType = (type: string, patterns: readonly string[]): boolean =>
  patterns.some(
    (pattern) =>
      pattern === type || pattern === '*/*' || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))),
  );

/** Whether the response may have a coding, regardless of what its client accepts. */
const isEligible = (rules: CompressionRules, { status, headers }: CompressibleResponse): boolean => {
  // A partial response is a range of octets of the representation without a coding.
  if (status < 200 || status === 206 || isBoundToOctets(headers)) return false;
  const type = mediaTypeOf(headers);
  if (type === '' || !matchesType(type, rules.types)) return false;
  if (isEventStream(headers) || type.startsWith('application/grpc')) return false;
  return contentCodingsOf(headers)?.length === 0 && !forbidsTransform(headers);
};

/**
 * Decides whether a response is compressed, and how. Pure: the body and the load of the gateway may still prevent it.
 *
 * @param octets length of the body; null if unknown, which counts as long enough. For HEAD, the Content-Length
 */
export const decideCompression = (
  rules: CompressionRules,
  request: CompressibleRequest,
  response: CompressibleResponse,
  octets: number | null,
): CompressionDecision => {
  const isHead = request.method === 'HEAD';
  if (response.status === 304) return revalidated(request, response);
  if (isBodyless(response.status) || (request.method === 'CONNECT' && response.status < 300)) return pass;
  if (!isEligible(rules, response) || (octets !== null && octets < rules.minOctets)) return pass;
  const coding = codingFor(rules, request);
  if (coding === null) return vary;
  return isHead ? head : { kind: 'compress', coding };
};

/** Clients of HTTP/1.0 get no coding: only the end of the connection would end the body. */
const codingFor = (rules: CompressionRules, { httpVersion, headers }: CompressibleRequest): CompressionCoding | null =>
  httpVersion === '1.0' || forbidsTransform(headers) ? null : acceptedCoding(headers, rules.encodings);

/**
 * A 304 has the fields that its 200 would have (RFC 9110, section 15.4.5), but not those of the content. Its ETag is
 * weak if the client asked with the weak one, so that a cache finds its stored response (RFC 9111, section 4.3.4).
 */
const revalidated = (request: CompressibleRequest, { headers }: CompressibleResponse): CompressionDecision => {
  const etag = firstHeader(headers, 'etag');
  const known = allHeaders(request.headers, 'if-none-match').flatMap(entityTags);
  const isWeak = etag !== undefined && !known.includes(etag) && known.includes(`W/${etag}`);
  return isWeak ? head : vary;
};

/** The entity tags of a list (RFC 9110, section 8.8.3). A tag may contain commas. */
const entityTags = (value: string): string[] => value.match(/(?:W\/)?"[^"]*"/g) ?? [];
