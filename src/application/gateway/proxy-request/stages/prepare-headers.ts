import type { ListenerConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import { withReadableCodings } from '../../../../domain/http/accepted-codings.js';
import { canonicalName } from '../../../../domain/http/canonical-name.js';
import { correlationIdHeader } from '../../../../domain/http/correlation-id.js';
import { forwardableFields } from '../../../../domain/http/forwardable-fields.js';
import { type HeaderList, noHeaders } from '../../../../domain/http/header-list.js';
import {
  alwaysOwned,
  type OwnedHeaders,
  ownedHeaders,
  stripNewlyOwned,
  stripOwned,
} from '../../../../domain/http/owned-headers.js';
import { countedForwards } from '../../../../domain/http/request-method.js';
import type { ExchangeView, StageOf } from '../exchange.js';
import { sendOwn } from '../send-own.js';

/**
 * Derives the headers for agents and the upstream from those of the client.
 *
 * @param identity the identity headers to remove; null: the route forwards those of clients
 */
export const prepareHeaders =
  (identity: IdentityHeaderFilter | null): StageOf<'request' | 'target', 'forwarded'> =>
  (exchange) => {
    const { client, correlationId, request, forwarded } = exchange;
    const parts = {
      owned: identity === null ? null : identity.current(),
      certificateFields: forwarded.certificateFields,
      client,
      peerAddress: request.connection.peerAddress,
      scheme: request.connection.scheme,
      host: exchange.target.authority === '' ? null : exchange.target.authority,
      correlationId,
    };
    exchange.forwarded.identityNames = parts.owned;
    exchange.forwarded.headers = forwardableFields(exchange.forwarded.headers, parts, request.received);
    return 'continue';
  };

/**
 * The headers that clients must not send on any route: the fixed identity and certificate headers, those of the agent
 * blocks, and those that agents declare in their handshakes. Recompiled only when an agent declares other names.
 */
export class IdentityHeaderFilter {
  readonly #configured: readonly string[];
  readonly #declared: DeclaredHeaderNames;
  #revision: number;
  #compiled: OwnedHeaders;

  constructor(configured: readonly string[], declared: DeclaredHeaderNames) {
    this.#configured = configured;
    this.#declared = declared;
    this.#revision = declared.revision;
    this.#compiled = this.#compile();
  }

  current(): OwnedHeaders {
    if (this.#revision !== this.#declared.revision) {
      this.#revision = this.#declared.revision;
      this.#compiled = this.#compile();
    }
    return this.#compiled;
  }

  /**
   * Removes the headers that agents have declared since the headers were prepared, because an agent may connect while a
   * request waits for it. Call it before the agent's own headers are applied.
   */
  removeNewlyDeclared({ forwarded }: ExchangeView<never, 'forwarded'>): void {
    const now = this.current();
    const { identityNames: before, certificateFields, headers } = forwarded;
    if (before === null || before === now) return;
    forwarded.identityNames = now;
    // The gateway sets certificate fields itself, even if an agent declares their names.
    const certificates = certificateFields.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    forwarded.headers = stripNewlyOwned(headers, { before, now }, new Set(certificates));
  }

  #compile(): OwnedHeaders {
    return ownedHeaders([...alwaysOwned, ...this.#configured, ...this.#declared.all()]);
  }
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, index) => name === other[index]);

/**
 * The header names that agents declared as their own in their last handshakes, by agent. They outlive configurations
 * and connections, so that a declaration still holds while its agent is away.
 */
export class DeclaredHeaderNames {
  readonly #byAgent = new Map<string, readonly string[]>();
  #revision = 0;

  /** Changes with every change of the names. */
  get revision(): number {
    return this.#revision;
  }

  declare(agent: string, names: readonly string[]): void {
    if (isSameList(this.#byAgent.get(agent) ?? [], names)) return;
    this.#byAgent.set(agent, names);
    this.#revision += 1;
  }

  /** Forgets all other agents. */
  keep(agents: ReadonlySet<string>): void {
    for (const agent of this.#byAgent.keys()) {
      if (agents.has(agent)) continue;
      this.#byAgent.delete(agent);
      this.#revision += 1;
    }
  }

  all(): readonly string[] {
    return [...this.#byAgent.values()].flat();
  }
}

/** The headers that carry client certificates, by listener. */
export interface CertificateHeaderRules {
  /** The names that clients must not send, on any listener or route. */
  readonly stripped: OwnedHeaders;
  /** By listener key. Listeners without such a header are absent. */
  readonly byListener: ReadonlyMap<string, ListenerCertificateHeaders>;
}

interface ListenerCertificateHeaders {
  /** Carries the verified certificate of the TLS handshake to agents and upstreams. */
  readonly forward: string | null;
  /** Accepted from a trusted proxy. In lower case. */
  readonly accept: string | null;
}

/** The chain header that accompanies Client-Cert (RFC 9440, section 2.3). */
const certificateChainHeader = 'client-cert-chain';

/** Whether a certificate header has a chain header beside it. */
const hasChainHeader = (name: string): boolean => canonicalName(name) === 'client-cert';

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

/** Decrements Max-Forwards, and answers an OPTIONS request when it is 0 (RFC 9110, section 7.6.2). */
export const countForwards: StageOf<'request', 'forwarded'> = (exchange) => {
  const counted = countedForwards(exchange.request.method, exchange.forwarded.headers);
  if (counted !== null) {
    exchange.forwarded.headers = counted;
    return 'continue';
  }
  exchange.outcome.status = 200;
  const fields = [...exchange.rateLimitFields, correlationIdHeader, exchange.correlationId];
  sendOwn(exchange, 200, fields, '', exchange.close);
  return 'ended';
};

/** Offers the upstream only content codings that the gateway can decode for agents that inspect responses. */
export const offerReadableCodings: StageOf<never, 'forwarded'> = (exchange) => {
  exchange.forwarded.headers = withReadableCodings(exchange.forwarded.headers);
  return 'continue';
};
