import { canonicalName } from '../../http/canonical-name.js';
import { claimedNames, isHopByHop } from '../../http/field-traits.js';
import {
  alwaysOwned,
  identityTokenHeader,
  isOwned,
  omittedClaimsHeader,
  ownedHeaders,
} from '../../http/owned-headers.js';

/** What an option of an agent uses a header for. */
export type HeaderUse =
  /** The agent sets it for the upstream. */
  | 'identity'
  /** A client sends a secret in it. */
  | 'credential'
  /** It carries a client certificate. */
  | 'certificate'
  /** It receives a claim or a SAML attribute. */
  | 'attribute'
  /** It receives the signed token that states the identity. */
  | 'token';

const framing: ReadonlySet<string> = new Set(['content-length', 'host', 'http2-settings', 'trailers']);

/** Request fields with a standard meaning for upstreams, caches or proxies, and fields with credentials. */
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
const identityTokenName = canonicalName(identityTokenHeader);

/** Headers that usually carry certificates. */
const certificateHeaders: ReadonlySet<string> = new Set(['client-cert', 'x-client-cert', 'x-forwarded-client-cert']);

/**
 * Why a header is unfit for a use, as the rest of a sentence; null: it can. Names compare as in the removal of
 * identity headers.
 */
export const unfitHeader = (use: HeaderUse, name: string): string | null => {
  const canonical = canonicalName(name);
  if (isHopByHop(canonical) || framing.has(canonical)) {
    return 'belongs to message framing or to one connection: use another header';
  }
  if (canonical === canonicalName(omittedClaimsHeader)) return 'lists the omitted claims: use another header';
  if (use === 'certificate') {
    if (certificateHeaders.has(canonical)) return null;
    if (isOwned(identityNames, name)) return 'is an identity header: use another header';
  }
  if (use === 'credential' && isOwned(identityNames, name)) {
    return 'is an identity header, which the gateway removes from requests: use another header';
  }
  if (use === 'token' && canonical === identityTokenName) return null;
  if ((use === 'attribute' || use === 'token') && isOwned(identityNames, name)) {
    return 'is already an identity header: use another header';
  }
  if (wellKnown.has(canonical) || wellKnownPrefixes.some((prefix) => canonical.startsWith(prefix))) {
    return 'has a standard meaning: use another header';
  }
  return null;
};
