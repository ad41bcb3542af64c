import type { ListenerConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { canonicalName } from '../../../domain/http/canonical-name.js';
import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import { type OwnedHeaders, ownedHeaders, stripOwned } from '../../../domain/http/owned-headers.js';
import type { ExchangeView } from './exchange.js';

/** The headers that carry client certificates, by listener. */
export interface CertificateHeaderRules {
  /** The names that clients must not send, on any listener or route. */
  readonly stripped: OwnedHeaders;
  /** By listener key. Listeners without such a header are absent. */
  readonly byListener: ReadonlyMap<string, ListenerCertificateHeaders>;
}

export interface ListenerCertificateHeaders {
  /** Carries the verified certificate of the TLS handshake to agents and upstreams. */
  readonly forward: string | null;
  /** Accepted from a trusted proxy. In lower case. */
  readonly accept: string | null;
}

/** The chain header that accompanies Client-Cert (RFC 9440, section 2.3). */
export const certificateChainHeader = 'client-cert-chain';

/** Whether a certificate header has a chain header beside it. */
export const hasChainHeader = (name: string): boolean => canonicalName(name) === 'client-cert';

export const noCertificateHeaders: CertificateHeaderRules = { stripped: ownedHeaders([]), byListener: new Map() };

/**
 * Compiles the rules of all listeners, by listener key. A name that one listener uses is stripped on every listener,
 * because routes do not distinguish listeners.
 */
export const certificateHeaderRules = (
  listeners: ReadonlyMap<string, ListenerConfiguration>,
): CertificateHeaderRules => {
  const names: string[] = [];
  const byListener = new Map<string, ListenerCertificateHeaders>();
  for (const [key, { tls, acceptClientCertHeader }] of listeners) {
    const forward = tls?.forwardClientCertHeader ?? null;
    const accept = acceptClientCertHeader?.toLowerCase() ?? null;
    if (forward === null && accept === null) continue;
    byListener.set(key, { forward, accept });
    for (const name of [forward, accept]) {
      if (name === null) continue;
      names.push(name);
      if (hasChainHeader(name)) names.push(certificateChainHeader);
    }
  }
  return names.length === 0 ? noCertificateHeaders : { stripped: ownedHeaders(names), byListener };
};

type CertifiedExchange = ExchangeView<'client' | 'request', 'forwarded'>;

/**
 * Removes every header that carries a client certificate. Keeps the trusted ones aside: those of a trusted proxy, and
 * the certificate of the TLS handshake. `prepareHeaders` adds them after it applies the Connection header, so that a
 * client cannot remove them.
 */
export const takeCertificateFields = (exchange: CertifiedExchange, rules: CertificateHeaderRules): void => {
  if (rules.stripped.names.size === 0) return;
  const listener = rules.byListener.get(exchange.request.connection.listener);
  if (listener) exchange.forwarded.certificateFields = trustedFields(exchange, listener);
  exchange.forwarded.headers = stripOwned(exchange.forwarded.headers, rules.stripped);
};

const trustedFields = (exchange: CertifiedExchange, { forward, accept }: ListenerCertificateHeaders): HeaderList => {
  const fromProxy =
    accept !== null && exchange.client.peerTrusted ? proxyFields(exchange.forwarded.headers, accept) : noHeaders;
  const fromHandshake = exchange.request.connection.tls?.clientCertificate ?? null;
  return forward === null || fromHandshake === null ? fromProxy : [...fromProxy, forward, fromHandshake];
};

/** The certificate fields of the request. Empty if the certificate is repeated: one may be forged. */
const proxyFields = (headers: HeaderList, accept: string): HeaderList => {
  const withChain = hasChainHeader(accept);
  const fields: string[] = [];
  let certificates = 0;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const lower = name.toLowerCase();
    if (lower === accept) certificates += 1;
    else if (!withChain || lower !== certificateChainHeader) continue;
    fields.push(name, headers[index + 1] as string);
  }
  return certificates === 1 ? fields : noHeaders;
};
