import { type HeaderList, noHeaders } from '../../../domain/http/header-list.js';
import { stripOwned } from '../../../domain/http/owned-headers.js';
import {
  type CertificateHeaderRules,
  certificateChainHeader,
  hasChainHeader,
  type ListenerCertificateHeaders,
} from './certificate-header-rules.js';
import type { Exchange } from './exchange.js';

/**
 * Takes every header that carries a client certificate out of the request, and keeps aside what can be believed of them:
 * what a trusted proxy brought, and what the client proved in its TLS handshake. They are put back once nothing that the
 * client sent, its Connection header above all, can touch them any more.
 */
export const takeCertificateFields = (exchange: Exchange, rules: CertificateHeaderRules): void => {
  if (rules.stripped.names.size === 0) return;
  const listener = rules.byListener.get(exchange.request.connection.listener);
  if (listener) exchange.certificateFields = believedFields(exchange, listener);
  exchange.headers = stripOwned(exchange.headers, rules.stripped);
};

const believedFields = (exchange: Exchange, { forward, accept }: ListenerCertificateHeaders): HeaderList => {
  const brought = accept !== null && exchange.client.peerTrusted ? broughtFields(exchange.headers, accept) : noHeaders;
  const proved = exchange.request.connection.tls?.clientCertificate ?? null;
  return forward === null || proved === null ? brought : [...brought, forward, proved];
};

/** Nothing where the certificate comes twice: which one is the proxy's own would be a guess. */
const broughtFields = (headers: HeaderList, accept: string): HeaderList => {
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
