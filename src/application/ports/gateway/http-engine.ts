import type { SocketAddress } from '../../../domain/configuration/network-addresses.js';
import type { ClientAuth, ListenerTimeouts } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { CidrSet } from '../../../domain/http/cidr-set.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import type { ProxyHeaderFault } from '../../../domain/http/proxy-protocol/proxy-header.js';
import type { Result } from '../../../domain/shared/result.js';
import type { Secret } from '../../../domain/shared/secret.js';
import type { ClientRequest, ClientResponse, RejectedRequest } from './http-exchange.js';

/** A response to what never became a request. */
export interface RejectionAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** What is made of a connection that has come. */
export type ConnectionAdmission =
  | {
      readonly kind: 'admitted';
      /** To be called once, when the connection has ended. */
      release(): void;
    }
  | { readonly kind: 'refused'; readonly answer: RejectionAnswer };

/** What an engine calls. No function throws, and `handle` ends the response in every case. */
export interface RequestHandler {
  /**
   * Asked for every connection, before anything is read of it but its PROXY header, where it has to have one: `peerAddress`
   * is that of the client then which the header names. `listener`: its key, as it was given to the engine. A promise settles
   * in every case, soon, or with the reload that brings the listener; one that was let in is released where the connection
   * has gone by then.
   */
  admit(listener: string, peerAddress: string): ConnectionAdmission | Promise<ConnectionAdmission>;
  handle(request: ClientRequest, response: ClientResponse): void;
  reject(rejected: RejectedRequest): RejectionAnswer;
  /** Told of a connection that ended in its TLS handshake. */
  handshakeFailed(failure: HandshakeFailure): void;
  /** Told of a connection that ended before it was asked about, for the sake of its PROXY header. */
  proxyHeaderFailed(failure: ProxyHeaderFailure): void;
}

/** A TLS handshake that failed: nothing was asked, and nothing can be answered. */
export interface HandshakeFailure {
  /** Key of the listener, as it was given to the engine. */
  readonly listener: string;
  readonly peerAddress: string;
  /** A stable name where the TLS library has one, as in `CERT_HAS_EXPIRED`. */
  readonly code: string;
}

/** A connection that had to begin with a PROXY header, and did not as it had to. */
export interface ProxyHeaderFailure {
  /** Key of the listener, as it was given to the engine. */
  readonly listener: string;
  /** Of whoever made the connection. */
  readonly peerAddress: string;
  /** What was wrong with the header, or: its sender is none that may send one, it did not come in time or ended, too many are awaited. */
  readonly reason: ProxyHeaderFault | 'untrusted_peer' | 'timed_out' | 'incomplete' | 'too_many';
}

/** What a listener's TLS is made of: texts of the files, read and not yet understood. */
export interface TlsMaterial {
  readonly certificates: readonly TlsCertificate[];
  readonly clientAuth: ClientAuth;
  /** PEM; null with `none` alone. */
  readonly clientAuthorities: string | null;
  readonly minVersion: '1.2' | '1.3';
  /** HTTP/2 is offered (ALPN, RFC 7301), before HTTP/1.1. */
  readonly http2: boolean;
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

/** What no configuration changes: for how long an engine waits, and how much of a head it reads. */
export interface EngineLimits {
  /** For the whole of a TLS handshake, and never more than a head has. */
  readonly handshakeTimeoutMs: number;
  /**
   * How long a connection of a draining listener must have been idle before it is ended: the request that is on its way on
   * a busier one is still answered.
   */
  readonly drainLingerMs: number;
  /**
   * The same where another process serves the address already: nobody in front knows to stay away, and a request may come on
   * any connection that has been idle.
   */
  readonly replacedLingerMs: number;
  /**
   * How long a client may be silent, in milliseconds, while what nobody wants of it is read on: a body that was answered
   * early, and all that comes behind the last response. Otherwise a reset could overtake the answer.
   */
  readonly lingerMs: number;
  /** The same in all, however steadily octets come. */
  readonly maxLingerMs: number;
  /** Octets that are read so, per connection. */
  readonly maxLingerOctets: number;
  /** Octets of request line and header section; more is rejected before it is held. */
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

/** How a listener is to serve. */
export interface ListenerOptions {
  /** What the configuration calls the listener. */
  readonly name: string;
  readonly limits: EngineLimits;
  readonly timeouts: ListenerTimeouts;
  /** Null: it speaks plain HTTP. */
  readonly tls: TlsContext | null;
  /** Peers whose connections have to begin with a PROXY header; those of others end at once then. Null: none has to. */
  readonly proxyHeaderFrom: CidrSet | null;
  /** On a plain listener: connections may begin with HTTP/2 (prior knowledge, RFC 9113, section 3.3). */
  readonly http2: boolean;
}

/** A listener that is open. */
export interface OpenListener {
  /** What the connections of this listener are known by. */
  readonly key: string;
  /** The address in fact, with the port that port 0 became. */
  address(): SocketAddress;
  /** Those that were let in and stand. */
  connections(): number;

  /** How long clients are waited for from now on; what has begun keeps the patience that it began with. */
  waitFor(timeouts: ListenerTimeouts): void;

  /**
   * Whose connections have to begin with a PROXY header from now on: see `ListenerOptions`. Those that stand keep their
   * client, but where it was named by one who could not name it any more: these end as those do that `secure` ends.
   */
  expectProxyHeaders(from: CidrSet | null, graceMs: number): void;

  /**
   * How connections are secured from now on; null: plain HTTP. Those that stand keep what they have, but for three kinds:
   * those whose client showed a certificate where client-auth, the authorities or the least version are others now; those
   * without one where it is a must now; and plain ones where TLS is spoken now. Of these tunnels and idle ones end at once,
   * the rest after the response that is under way, at the latest after the grace.
   */
  secure(tls: TlsContext | null, graceMs: number): void;

  /** Whether connections of a plain listener may begin with HTTP/2 from now on. */
  acceptHttp2(isAccepted: boolean): void;

  /**
   * Accepts no more, and resolves when every connection has ended: those that have been idle for a while at once, the
   * others with their next response, for the gateway says close in each. What is left after the grace is cut off.
   * `isReplaced`: another process serves the address already; false unless said.
   */
  drain(graceMs: number, isReplaced?: boolean): Promise<void>;
}

/** A listener that has its address and accepts nothing yet. */
export interface BoundListener extends OpenListener {
  /**
   * Begins to accept, before the loop turns. Rejects with the system's error, the socket closed, in the same turn: who
   * else is bound to an address shows only when one of them listens.
   */
  listen(): Promise<void>;
}

/** Serves HTTP/1.1 and HTTP/2 to clients. */
export interface HttpEngine {
  /** Checks and prepares what TLS needs. The error names what does not fit, and holds nothing of a key. */
  prepareTls(material: TlsMaterial): Result<TlsContext, string>;

  /**
   * Takes an address. Rejects with the system's error where it cannot be had. A connection that the handler refuses gets its answer,
   * after the TLS handshake where TLS is spoken, and ends; where too many are being refused already it ends at once.
   */
  bind(key: string, address: SocketAddress, handler: RequestHandler, options: ListenerOptions): Promise<BoundListener>;
}
