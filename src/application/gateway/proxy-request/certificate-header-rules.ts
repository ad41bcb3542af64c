import type { ListenerConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { canonicalName } from '../../../domain/http/canonical-name.js';
import { type OwnedHeaders, ownedHeaders } from '../../../domain/http/owned-headers.js';

/** Headers that carry client certificates, by the listeners of one configuration. */
export interface CertificateHeaderRules {
  /** What no client may bring, whatever listener and route it comes by. */
  readonly stripped: OwnedHeaders;
  /** By the key of the listener; those without such a header are left out. */
  readonly byListener: ReadonlyMap<string, ListenerCertificateHeaders>;
}

export interface ListenerCertificateHeaders {
  /** Gets the certificate that the client has proved in its TLS handshake. */
  readonly forward: string | null;
  /** May come from a trusted proxy. In lower case. */
  readonly accept: string | null;
}

/** RFC 9440, section 2.3: what goes with Client-Cert. */
export const certificateChainHeader = 'client-cert-chain';

/** Whether a header that carries a certificate has its chain beside it. */
export const hasChainHeader = (name: string): boolean => canonicalName(name) === 'client-cert';

export const noCertificateHeaders: CertificateHeaderRules = { stripped: ownedHeaders([]), byListener: new Map() };

/** By listener key. A name that one listener uses is stripped at every one: routes do not tell listeners apart. */
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
