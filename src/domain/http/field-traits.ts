import { ownText } from '../shared/utf8.js';
import { canonicalName } from './canonical-name.js';
import { listMembers } from './field-syntax.js';
import type { HeaderList } from './header-list.js';

/** Properties of a field name, as bits; 0 for a field that passes unchanged. */
export const fieldTrait = {
  /** A hop-by-hop field, or a name that resembles one; see `hopByHop`. */
  hopByHop: 1,
  te: 2,
  connection: 4,
  /** The gateway sets this field for the upstream and drops every received spelling. */
  forwarded: 8,
  /** Identifies the client; accepted from trusted proxies only. */
  claim: 16,
  /** Resembles a `claim` field; always dropped. */
  claimInDisguise: 32,
  host: 64,
  correlationId: 128,
  /** A rate-limit field. */
  rates: 256,
  contentLength: 512,
  transferEncoding: 1024,
  expect: 2048,
  date: 4096,
} as const;

/**
 * Hop-by-hop fields, which are never forwarded (RFC 9110, section 7.6.1). The set also has:
 * - Proxy-Authenticate, Proxy-Authorization and related fields, which address the nearest proxy (section
 *   11.7);
 * - Trailer, because the gateway frames messages anew;
 * - HTTP2-Settings, which only an h2c upgrade uses;
 * - Expect, which the gateway answers.
 */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Names whose variants with other separators are dropped. An upstream that reads `Content_Length` as
 * Content-Length would see a second, forged field.
 */
const unambiguous: ReadonlySet<string> = new Set(['content-length', 'x-correlation-id']);

/** Fields that the gateway sets. */
const written: ReadonlySet<string> = new Set(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

/** Other fields in which proxies report the client or its request. */
export const claimedNames: readonly string[] = [
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'front-end-https',
  'true-client-ip',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-forwarded',
  'x-forwarded-access-token',
  'x-forwarded-by',
  'x-forwarded-email',
  'x-forwarded-groups',
  'x-forwarded-method',
  'x-forwarded-path',
  'x-forwarded-port',
  'x-forwarded-preferred-username',
  'x-forwarded-prefix',
  'x-forwarded-protocol',
  'x-forwarded-scheme',
  'x-forwarded-server',
  'x-forwarded-ssl',
  'x-forwarded-tls-client-cert',
  'x-forwarded-tls-client-cert-info',
  'x-forwarded-uri',
  'x-forwarded-user',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-uri',
  'x-original-url',
  'x-originating-ip',
  'x-proxyuser-ip',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-rewrite-url',
  'x-url-scheme',
];
const claimed: ReadonlySet<string> = new Set(claimedNames);

/** Traits by exact name, in lower case. */
const traitsOfName: ReadonlyMap<string, number> = new Map([
  ['te', fieldTrait.te],
  ['connection', fieldTrait.connection],
  ['host', fieldTrait.host],
  ['x-correlation-id', fieldTrait.correlationId],
  ['ratelimit', fieldTrait.rates],
  ['ratelimit-policy', fieldTrait.rates],
  ['content-length', fieldTrait.contentLength],
  ['transfer-encoding', fieldTrait.transferEncoding],
  ['expect', fieldTrait.expect],
  ['date', fieldTrait.date],
]);

/** Every name with traits, in lower case. Variants in case or separators have traits too. */
export const namesWithTraits: readonly string[] = [
  ...hopByHop,
  ...unambiguous,
  ...written,
  ...claimedNames,
  ...traitsOfName.keys(),
];

const traitsFound = (name: string): number => {
  const lower = name.toLowerCase();
  const canonical = canonicalName(lower);
  let traits = 0;
  if (hopByHop.has(canonical) || (canonical !== lower && unambiguous.has(canonical))) traits |= fieldTrait.hopByHop;
  if (written.has(canonical)) traits |= fieldTrait.forwarded;
  if (claimed.has(canonical)) traits |= canonical === lower ? fieldTrait.claim : fieldTrait.claimInDisguise;
  return traits | (traitsOfName.get(lower) ?? 0);
};

/** Caches recent names, bounded in number and length. */
const remembered = new Map<string, number>();
const maxRemembered = 1_024;
const maxNameLength = 64;

/** The traits of a name, in any case. */
export const fieldTraits = (name: string): number => {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const traits = traitsFound(name);
  if (name.length <= maxNameLength) {
    if (remembered.size >= maxRemembered) remembered.clear();
    // A copy: a slice would keep the whole request head in memory.
    remembered.set(ownText(name), traits);
  }
  return traits;
};

export const isHopByHop = (canonical: string): boolean => hopByHop.has(canonical);

/** Properties of header fields that the parser found while it read them. */
export interface HeaderSummary {
  /** The summarised fields; immutable. */
  readonly fields: HeaderList;
  /** The union of the `fieldTraits` of all names. */
  readonly traits: number;
  /** Octets of all lines: name, value, colon, space and line end. */
  readonly octets: number;
  /** Octets of the longest name, or a larger number. */
  readonly longestName: number;
  /** Index of the only Host in `fields`; -1 if there is none. */
  readonly hostAt: number;
  /** Index of the only Content-Length in `fields`; -1 if there is none. */
  readonly lengthAt: number;
}

/** All traits: any field may be present. */
const anyTraits = -1;

/** The summary if it is of this list; otherwise null. */
export const summaryOf = (headers: HeaderList, known: HeaderSummary | null): HeaderSummary | null =>
  known !== null && known.fields === headers ? known : null;

/** The union of the traits of all names; all traits if unknown. */
export const traitsOf = (headers: HeaderList, known: HeaderSummary | null): number =>
  known !== null && known.fields === headers ? known.traits : anyTraits;

const longest = namesWithTraits.reduce((length, name) => Math.max(length, name.length), 0);

/** These bits of a letter are equal in both cases. */
const letterBits = 31;

/** By length and first letter, those that a name with traits has. */
const possible = new Uint8Array((longest + 1) * (letterBits + 1));
// INVARIANT: each name begins with a letter, so no other separator can replace its first character.
for (const name of namesWithTraits) possible[name.length * (letterBits + 1) + (name.charCodeAt(0) & letterBits)] = 1;

/** False if no name of this length and first character has traits. A fast path that excludes most names. */
export const mayHaveTraits = (length: number, firstCharacter: number): boolean =>
  length <= longest && possible[length * (letterBits + 1) + (firstCharacter & letterBits)] === 1;

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
