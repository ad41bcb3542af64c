import { canonicalName } from '../../http/canonical-name.js';
import { claimedNames, isHopByHop } from '../../http/field-traits.js';
import { alwaysOwned, isOwned, omittedClaimsHeader, ownedHeaders } from '../../http/owned-headers.js';

/** The options of an agent that name a header. */
export type HeaderOption =
  | 'user-id-header'
  | 'auth-method-header'
  | 'api-key-header'
  | 'client-cert-header'
  | 'attribute-mapping';

const framing: ReadonlySet<string> = new Set(['content-length', 'host', 'http2-settings', 'trailers']);

/** Request fields that mean something to upstreams, caches or proxies, or bear another credential. */
const wellKnown: ReadonlySet<string> = new Set([
  ...claimedNames,
  ...(
    'accept accept-charset accept-encoding accept-language alt-used authorization baggage cache-control cookie ' +
    'cookie2 date dnt early-data forwarded from if-match if-modified-since if-none-match if-range if-unmodified-since ' +
    'max-forwards origin pragma prefer priority range referer save-data server set-cookie soapaction traceparent ' +
    'tracestate upgrade-insecure-requests user-agent vary via want-digest want-content-digest warning ' +
    'x-correlation-id x-csrf-token x-http-method x-http-method-override x-method-override x-original-method ' +
    'x-request-id x-requested-with'
  ).split(' '),
]);

const wellKnownPrefixes = ['access-control-', 'content-', 'sec-', 'x-b3-', 'x-envoy-', 'x-forwarded-'];

const identityNames = ownedHeaders(alwaysOwned);

/** The headers that certificates usually come in. */
const certificateHeaders: ReadonlySet<string> = new Set(['client-cert', 'x-client-cert', 'x-forwarded-client-cert']);

/**
 * Why a header cannot be what an option makes of it; null where it can. Names compare as they do where they are
 * stripped.
 */
export const unfitHeader = (option: HeaderOption, name: string): string | null => {
  const canonical = canonicalName(name);
  if (isHopByHop(canonical) || framing.has(canonical)) {
    return 'frames the message or concerns one connection, and cannot be used here';
  }
  if (canonical === canonicalName(omittedClaimsHeader))
    return 'names the claims that are left out, and cannot be used here';
  if (option === 'client-cert-header') {
    if (certificateHeaders.has(canonical)) return null;
    if (isOwned(identityNames, name)) return 'has a meaning of its own, and cannot be used here';
  }
  if (option === 'api-key-header' && isOwned(identityNames, name)) {
    return 'tells an identity: it is removed from what clients send, so no key could come in it';
  }
  if (option === 'attribute-mapping' && isOwned(identityNames, name)) {
    return 'tells something else of an identity, and cannot be used here';
  }
  if (wellKnown.has(canonical) || wellKnownPrefixes.some((prefix) => canonical.startsWith(prefix))) {
    return 'has a meaning of its own, and cannot be used here';
  }
  return null;
};
