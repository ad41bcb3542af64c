import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { ClientAuth, ListenerTimeouts } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { CidrSet } from '../../../domain/http/cidr-set.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { ProxyHeaderFault } from '../../../domain/http/proxy-protocol/proxy-header.js';
import type { CertificateDates } from '../../../domain/shared/certificate-dates.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import type { ClientRequest, ClientResponse, RejectedRequest } from './http-exchange.js';
import type { TicketKeys } from './ticket-keys.js';

/** The response to input that did not become a request. */
export interface RejectionAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** Whether a new connection is admitted. */
export type ConnectionAdmission =
  | {
      readonly kind: 'admitted';
      /** Call once, when the connection has ended. */
      release(): void;
    }
  | { readonly kind: 'refused'; readonly answer: RejectionAnswer };

/** The callbacks of an engine. None throws, and `handle` always ends the response. */
export interface RequestHandler {
  /**
   * Called for every connection before its first octet is read, except a required PROXY header,
   * whose client is then `peerAddress`. `listener` is the key given to the engine.
   * A promise always settles: soon, or with the reload that adds the listener. If the connection
   * closed meanwhile, the engine releases the admission.
   */
  admit(listener: string, peerAddress: string): ConnectionAdmission | Promise<ConnectionAdmission>;
  handle(request: ClientRequest, response: ClientResponse): void;
  reject(rejected: RejectedRequest): RejectionAnswer;
  /** A connection ended in its TLS handshake. */
  handshakeFailed(failure: HandshakeFailure): void;
  /** A connection ended before admission because of its PROXY header. */
  proxyHeaderFailed(failure: ProxyHeaderFailure): void;
}

/** A failed TLS handshake: there is no request, and no response is possible. */
export interface HandshakeFailure {
  /** Key of the listener, as given to the engine. */
  readonly listener: string;
  readonly peerAddress: string;
  /** A stable name from the TLS library, as in `CERT_HAS_EXPIRED`, if it has one. */
  readonly code: string;
}

/** A connection whose required PROXY header was absent or wrong. */
export interface ProxyHeaderFailure {
  /** Key of the listener, as given to the engine. */
  readonly listener: string;
  /** Address of the connecting peer. */
  readonly peerAddress: string;
  /**
   * The fault of the header; or the peer may not send one, it timed out, it was truncated, or too
   * many connections wait for one.
   */
  readonly reason: ProxyHeaderFault | 'untrusted_peer' | 'timed_out' | 'incomplete' | 'too_many';
}

/** Files of a listener's TLS configuration: texts, not parsed. */
export interface TlsMaterial {
  readonly certificates: readonly TlsCertificate[];
  readonly clientAuth: ClientAuth;
  /** PEM; null only with `none`. */
  readonly clientAuthorities: string | null;
  readonly minVersion: '1.2' | '1.3';
  /** Offers HTTP/2 before HTTP/1.1 (ALPN, RFC 7301). */
  readonly http2: boolean;
}

export interface TlsCertificate {
  /** PEM: the certificate, then its intermediates. */
  readonly chain: string;
  /** PEM. */
  readonly privateKey: Secret;
}

/** TLS settings that an engine prepared for its listeners. */
export interface TlsContext {
  readonly isTlsContext: true;
  /** Warnings: a certificate has expired, or expires soon. */
  readonly warnings: readonly string[];
  /** Certificates, intermediates and client authorities. */
  readonly certificates: readonly CertificateDates[];
}

/** Timeouts and sizes of an engine that are not configurable. */
export interface EngineLimits {
  /** For a whole TLS handshake; never longer than the timeout of a head. */
  readonly handshakeTimeoutMs: number;
  /**
   * How long a connection of a draining listener must have been idle before it is closed. A request
   * already on its way is still served.
   */
  readonly drainLingerMs: number;
  /**
   * The same when another process serves the address. Load balancers keep sending requests, so idle
   * connections get longer.
   */
  readonly replacedLingerMs: number;
  /**
   * Maximum silence of a client, in milliseconds, while the engine discards input: the rest of a
   * body answered early, or input after the last response. Closing at once could reset the
   * connection before the client reads the response.
   */
  readonly lingerMs: number;
  /** Maximum total duration of such discarding, in milliseconds. */
  readonly maxLingerMs: number;
  /** Maximum octets discarded per connection. */
  readonly maxLingerOctets: number;
  /**
   * Maximum octets of request line and header section; a larger head is rejected before it is
   * buffered.
   */
  readonly maxHeadBytes: number;
}

export const defaultEngineLimits: EngineLimits = {
  handshakeTimeoutMs: 10_000,
  drainLingerMs: 1_000,
  replacedLingerMs: 5_000,
  lingerMs: 5_000,
  maxLingerMs: 30_000,
  maxLingerOctets: 67_108_864,
  maxHeadBytes: 98_304,
};

/** Settings of a listener. */
export interface ListenerOptions {
  /** The listener's name in the configuration. */
  readonly name: string;
  readonly limits: EngineLimits;
  readonly timeouts: ListenerTimeouts;
  /** Null: plain HTTP. */
  readonly tls: TlsContext | null;
  /**
   * Peers that must send a PROXY header; connections of other peers are closed. Null: no header is
   * required.
   */
  readonly proxyHeaderFrom: CidrSet | null;
  /**
   * For a plain listener: connections may begin with HTTP/2 (prior knowledge, RFC 9113, section
   * 3.3).
   */
  readonly http2: boolean;
}

/** An open listener. */
export interface OpenListener {
  /** Identifies the connections of this listener. */
  readonly key: string;
  /** The bound address, with the actual port if port 0 was requested. */
  address(): SocketAddress;
  /** Number of admitted open connections. */
  connections(): number;

  /** Sets the client timeouts. Waits in progress keep their old timeouts. */
  waitFor(timeouts: ListenerTimeouts): void;

  /**
   * Sets the peers that must send a PROXY header; see `ListenerOptions`. Open connections keep
   * their client. If their peer may no longer name it, they close as with `secure`.
   */
  expectProxyHeaders(from: CidrSet | null, graceMs: number): void;

  /**
   * Replaces the TLS settings; null: plain HTTP. Open connections keep theirs, with three
   * exceptions:
   * - connections with a client certificate, if client-auth, authorities or minimum version changed
   * - connections without one, if it is now required
   * - plain connections, if TLS is now required.
   * Their tunnels and idle connections close at once, the others after the current response, at the
   * latest after the grace period.
   */
  secure(tls: TlsContext | null, graceMs: number): void;

  /** Sets whether connections of a plain listener may begin with HTTP/2. */
  acceptHttp2(isAccepted: boolean): void;

  /**
   * Stops accepting and resolves when every connection has ended: idle ones at once, others after
   * their next response, which announces the close. Aborts the rest after the grace period.
   * `isReplaced` (default false): another process serves the address already.
   */
  drain(graceMs: number, isReplaced?: boolean): Promise<void>;
}

/** A listener that is bound but does not accept yet. */
export interface BoundListener extends OpenListener {
  /**
   * Starts accepting in this turn of the event loop. Rejects with the system's error and closes the
   * socket. A second process on the address is detected only here, not when binding.
   */
  listen(): Promise<void>;
}

/** Serves HTTP/1.1 and HTTP/2 to clients. */
export interface HttpEngine {
  /**
   * Validates and prepares TLS settings. The error names what does not fit, without key material.
   */
  prepareTls(material: TlsMaterial): Result<TlsContext, string>;

  /** Sets the keys of session tickets for all TLS settings of this engine. Before, it uses a random key. */
  useTicketKeys(keys: TicketKeys): void;

  /**
   * Binds an address. Rejects with the system's error. A refused connection gets its response,
   * after any TLS handshake, and is closed. If too many refusals are in progress, it is closed at
   * once.
   */
  bind(key: string, address: SocketAddress, handler: RequestHandler, options: ListenerOptions): Promise<BoundListener>;
}
