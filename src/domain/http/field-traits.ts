import { ownText } from '../shared/utf8.js';
import { canonicalName } from './canonical-name.js';

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
