import type { ClientAuth, SocketAddress } from '../../domain/configuration/gateway-configuration.js';
import type { HeaderList } from '../../domain/http/header-list.js';
import type { Result } from '../../domain/shared/result.js';
import type { Secret } from '../../domain/shared/secret.js';
import type { ClientRequest, ClientResponse, RejectedRequest } from './http-exchange.js';

/** A response to what never became a request. */
export interface RejectionAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** What an engine calls. Neither function throws, and `handle` ends the response in every case. */
export interface RequestHandler {
  handle(request: ClientRequest, response: ClientResponse): void;
  reject(rejected: RejectedRequest): RejectionAnswer;
  /** Told of a connection that ended in its TLS handshake. */
  handshakeFailed(failure: HandshakeFailure): void;
}

/** A TLS handshake that failed: nothing was asked, and nothing can be answered. */
export interface HandshakeFailure {
  /** Key of the listener, as it was given to the engine. */
  readonly listener: string;
  readonly peerAddress: string;
  /** A stable name where the TLS library has one, as in `CERT_HAS_EXPIRED`. */
  readonly code: string;
}

/** What a listener's TLS is made of: texts of the files, read and not yet understood. */
export interface TlsMaterial {
  readonly certificates: readonly TlsCertificate[];
  readonly clientAuth: ClientAuth;
  /** PEM; null with `none` alone. */
  readonly clientAuthorities: string | null;
  readonly minVersion: '1.2' | '1.3';
}

export interface TlsCertificate {
  /** PEM: the certificate, then its intermediates. */
  readonly chain: string;
  /** PEM. */
  readonly privateKey: Secret;
}

/** TLS made ready by an engine, for its own listeners. */
export interface TlsContext {
  readonly isTlsContext: true;
  /** What is not wrong but worth a word: a certificate that has expired, or soon will. */
  readonly warnings: readonly string[];
}

/** How long an engine waits for clients, and how much of a head it reads. */
export interface EngineLimits {
  /** For the whole of a TLS handshake. */
  readonly handshakeTimeoutMs: number;
  /** From the first octet of a head to its last. */
  readonly headTimeoutMs: number;
  /** Silence while a body is awaited, and while a client does not read its response. */
  readonly bodyTimeoutMs: number;
  /** How long an unwanted body is read on, so that the client gets to see the answer before a reset. */
  readonly lingerMs: number;
  /** Silence between two requests on one connection. */
  readonly idleTimeoutMs: number;
  /** Octets of request line and header section; more is rejected before it is held. */
  readonly maxHeadBytes: number;
  readonly maxConnections: number;
}

/** TLS handshake 10 s, client header 60 s, body 60 s, keep-alive idle 75 s. */
export const defaultEngineLimits: EngineLimits = {
  handshakeTimeoutMs: 10_000,
  headTimeoutMs: 60_000,
  bodyTimeoutMs: 60_000,
  lingerMs: 2_000,
  idleTimeoutMs: 75_000,
  maxHeadBytes: 98_304,
  maxConnections: 10_000,
};

/** A listener that is open. */
export interface OpenListener {
  /** What the connections of this listener are known by. */
  readonly key: string;
  /** The address in fact, with the port that port 0 became. */
  address(): SocketAddress;
  connections(): number;

  /**
   * How connections are secured from now on; null: plain HTTP. Those that stand keep what they have, but for three kinds:
   * those whose client showed a certificate where client-auth, the authorities or the least version are others now; those
   * without one where it is a must now; and plain ones where TLS is spoken now. Of these tunnels and idle ones end at once,
   * the rest after the response that is under way, at the latest after the grace.
   */
  secure(tls: TlsContext | null, graceMs: number): void;

  /**
   * Accepts no more, tells keep-alive clients to go, and resolves when every connection has ended; those that are left
   * after the grace are cut off.
   */
  drain(graceMs: number): Promise<void>;
}

/** Serves HTTP/1.1 to clients. */
export interface HttpEngine {
  /** Checks and prepares what TLS needs. The error names what does not fit, and holds nothing of a key. */
  prepareTls(material: TlsMaterial): Result<TlsContext, string>;

  /** Rejects with the system's error where the address cannot be had. Without `tls` the listener speaks plain HTTP. */
  listen(
    key: string,
    address: SocketAddress,
    handler: RequestHandler,
    limits: EngineLimits,
    tls: TlsContext | null,
  ): Promise<OpenListener>;
}
