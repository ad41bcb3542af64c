import { ownText } from '../shared/utf8.js';
import { canonicalName } from './canonical-name.js';

/** What is to be known of a field by its name, as bits; 0: nothing, it is passed on as it is. */
export const fieldTrait = {
  /** Concerns one connection, or only looks as if: see `hopByHop`. */
  hopByHop: 1,
  te: 2,
  connection: 4,
  /** Written by the gateway for the upstream, in whatever spelling it came. */
  forwarded: 8,
  /** Says who a client is; believed from trusted proxies alone. */
  claim: 16,
  /** Only looks like one of those: never passed on. */
  claimInDisguise: 32,
  host: 64,
  correlationId: 128,
  /** Tells of rate limits. */
  rates: 256,
  contentLength: 512,
  transferEncoding: 1024,
  expect: 2048,
  date: 4096,
} as const;

/**
 * Fields that concern one connection and are never passed on: those of RFC 9110, section 7.6.1; Proxy-Authenticate and
 * Proxy-Authorization with its kin, which speak to the nearest proxy (section 11.7); Trailer, because the framing is
 * made anew; HTTP2-Settings, which is only of use to an h2c upgrade; Expect, which the gateway answers itself.
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
 * Fields whose spellings with other separators are dropped: to an upstream that reads `Content_Length` as Content-Length
 * they would be a second, forged one.
 */
const unambiguous: ReadonlySet<string> = new Set(['content-length', 'x-correlation-id']);

/** The fields that the gateway writes itself. */
const written: ReadonlySet<string> = new Set(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

/** Further fields in which proxies say who a client is, and what it has asked for. */
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

/** Traits of a name that is written so, but for the case of its letters. */
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

/**
 * Every name that has traits, in lower case; what else has some is one of these but for the case of its letters and for the
 * separators in it.
 */
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

/** Messages have the same names again and again: those that came last are remembered, so many and no longer ones. */
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
    // What Connection nominates is a part of a head, which would be kept as long.
    remembered.set(ownText(name), traits);
  }
  return traits;
};

export const isHopByHop = (canonical: string): boolean => hopByHop.has(canonical);
