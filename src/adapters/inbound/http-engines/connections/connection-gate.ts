import { createServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type {
  ConnectionAdmission,
  RejectionAnswer,
  RequestHandler,
} from '../../../../application/ports/gateway/http-engine.js';
import type { ConnectionTls } from '../../../../application/ports/gateway/http-exchange.js';
import type { CidrSet } from '../../../../domain/http/cidr-set.js';
import { unmappedAddress } from '../../../../domain/http/ip-address.js';
import { hasUnreadInput, type StreamSocket, toNodeSocket } from '../../../stream-sockets/stream-socket.js';
import { type ConnectionOrigin, plainOrigin } from './client-connection.js';
import type { ConnectionRefuser } from './connection-refuser.js';
import { connectionTls } from './connection-tls.js';
import { PendingAdmissions } from './pending-admissions.js';
import type { PreparedTls } from './prepared-tls.js';
import type { ProxyHeaderContents, ProxyHeaders } from './proxy-headers.js';
import { TlsHandshakes } from './tls-handshakes.js';

interface Connection {
  readonly raw: StreamSocket;
  /** Client address from the PROXY header, else the address of the TCP peer. */
  readonly peerAddress: string;
  /** Null if the peer sends no PROXY header. */
  readonly proxied: ProxyHeaderContents | null;
  /** Monotonic clock, in milliseconds. */
  readonly acceptedMs: number;
  /** Socket that carries HTTP; null until the TLS handshake completes. */
  served: StreamSocket | null;
  /** Trust anchor set that verified the client certificate; null without a certificate. */
  clientTrust: string | null;
  /** The handshake outcome is reported already, or the gateway itself closed the connection. */
  isSettled: boolean;
  /** Response for a refused connection; null if it is admitted. */
  readonly refusal: RejectionAnswer | null;
}

/** No data arrived on `socket`, apart from the PROXY header of the proxy. */
const isUnused = ({ raw, proxied }: Connection, socket: StreamSocket): boolean =>
  socket.bytesRead === (socket === raw ? (proxied?.octets ?? 0) : 0);

/** Connection properties that the current TLS settings are checked against. */
interface Security {
  readonly isSecured: boolean;
  /** See `Connection`. */
  readonly clientTrust: string | null;
}

/**
 * Admits the connections of a listener: directly, or after a TLS handshake. Each connection keeps
 * the settings of its accept; a reload closes only those that the new settings would refuse.
 */
export class ConnectionGate {
  readonly #key: string;
  readonly #handler: RequestHandler;
  readonly #refusals: ConnectionRefuser;
  readonly #proxyHeaders: ProxyHeaders;
  readonly #pending = new PendingAdmissions();
  #handshakeTimeoutMs: number;
  readonly #speakHttp: (socket: StreamSocket, origin: ConnectionOrigin) => void;
  /** Admitted connections. */
  readonly #open = new Set<Connection>();
  readonly #refused = new Set<Connection>();
  readonly #emptied: (() => void)[] = [];
  readonly #handshakes = new TlsHandshakes<Connection>();
  /** TLS server that does not listen itself; null for a plaintext listener. */
  #securing: TlsServer | null = null;
  #tlsNow: PreparedTls | null = null;

  /**
   * @param speakHttp receives each admitted connection: the socket that carries HTTP (TLS if used)
   * and its properties
   */
  constructor(
    key: string,
    handler: RequestHandler,
    refusals: ConnectionRefuser,
    proxyHeaders: ProxyHeaders,
    handshakeTimeoutMs: number,
    speakHttp: (socket: StreamSocket, origin: ConnectionOrigin) => void,
  ) {
    this.#key = key;
    this.#handler = handler;
    this.#refusals = refusals;
    this.#proxyHeaders = proxyHeaders;
    this.#handshakeTimeoutMs = handshakeTimeoutMs;
    this.#speakHttp = speakHttp;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Calls `then` once all admitted connections are closed and released. */
  whenEmpty(then: () => void): void {
    if (this.#open.size === 0) then();
    else this.#emptied.push(then);
  }

  /** Sets the handshake timeout, in milliseconds, for new connections. */
  waitFor(handshakeTimeoutMs: number): void {
    if (this.#handshakeTimeoutMs === handshakeTimeoutMs) return;
    this.#handshakeTimeoutMs = handshakeTimeoutMs;
    this.#securing = this.#tlsNow && this.#server(this.#tlsNow);
  }

  /**
   * Applies new TLS settings; null disables TLS. Returns the HTTP sockets that no longer satisfy
   * them: a different client CA, a missing required certificate, or plaintext.
   */
  secure(tls: PreparedTls | null): readonly StreamSocket[] {
    this.#securing = tls && this.#server(tls);
    this.#tlsNow = tls;
    const outdated: StreamSocket[] = [];
    for (const { raw, served, clientTrust } of this.#open) {
      if (served !== null && !this.#isSecureEnough({ isSecured: served !== raw, clientTrust })) outdated.push(served);
    }
    return outdated;
  }

  /**
   * Sets the peers that must send PROXY headers; null disables the protocol. Returns the HTTP
   * sockets whose client was named by a peer that lost this right. Connections that do not carry
   * HTTP yet are closed.
   */
  expectProxyHeaders(from: CidrSet | null): readonly StreamSocket[] {
    this.#proxyHeaders.expectFrom(from);
    const outdated: StreamSocket[] = [];
    for (const connection of this.#open) {
      const { proxied, served } = connection;
      if (proxied === null || this.#proxyHeaders.mayCome(proxied.peerAddress)) continue;
      if (served === null) this.#end(connection);
      else outdated.push(served);
    }
    return outdated;
  }

  /**
   * Closes idle connections, and those accepted before `acceptedBeforeMs` that sent nothing or are
   * still in the handshake.
   */
  endIdle(acceptedBeforeMs: number, isIdle: (socket: StreamSocket) => boolean): void {
    this.#proxyHeaders.endWaiting(acceptedBeforeMs);
    this.#pending.endWaiting(acceptedBeforeMs);
    for (const connection of this.#open) {
      const { served, acceptedMs } = connection;
      const isSilent = served === null || isUnused(connection, served);
      const isDue = isSilent ? acceptedMs <= acceptedBeforeMs && !hasUnreadInput(connection.raw) : isIdle(served);
      if (isDue) this.#end(connection);
    }
  }

  endAll(): void {
    this.#proxyHeaders.endWaiting(performance.now());
    this.#pending.endWaiting(performance.now());
    for (const connection of this.#open) this.#end(connection);
    for (const connection of this.#refused) this.#end(connection);
  }

  #end(connection: Connection): void {
    connection.isSettled = true;
    (connection.served ?? connection.raw).destroy();
  }

  #isSecureEnough({ isSecured, clientTrust }: Security): boolean {
    const now = this.#tlsNow;
    if (clientTrust !== null) return clientTrust === now?.clientTrust;
    return now === null || (isSecured && !now.needsClientCertificate);
  }

  /** Takes a connection that the listener accepted. */
  take(raw: StreamSocket): void {
    const { remoteAddress } = raw;
    // The peer is already gone.
    if (remoteAddress === undefined) {
      raw.destroy();
      return;
    }
    const peerAddress = unmappedAddress(remoteAddress);
    if (!this.#proxyHeaders.areExpected) this.#admit(raw, peerAddress, null);
    else {
      const stream = toNodeSocket(raw);
      this.#proxyHeaders.take(stream, peerAddress, (proxied) =>
        this.#admit(stream, proxied.client?.address ?? peerAddress, proxied),
      );
    }
  }

  #admit(raw: StreamSocket, peerAddress: string, proxied: ProxyHeaderContents | null): void {
    const admission = this.#handler.admit(this.#key, peerAddress);
    if (admission instanceof Promise) {
      this.#pending.take(raw, admission, (settled) => this.#receive(raw, peerAddress, proxied, settled));
    } else this.#receive(raw, peerAddress, proxied, admission);
  }

  #receive(
    given: StreamSocket,
    peerAddress: string,
    proxied: ProxyHeaderContents | null,
    admission: ConnectionAdmission,
  ): void {
    // TLS runs on sockets of Node.
    const raw = this.#securing === null ? given : toNodeSocket(given);
    if (admission.kind === 'admitted') {
      const connection = this.#connection(raw, peerAddress, proxied, null);
      this.#open.add(connection);
      // The event fires once. `once` would cost more memory per idle connection.
      raw.on('close', () => {
        this.#open.delete(connection);
        admission.release();
        if (this.#open.size === 0) for (const then of this.#emptied.splice(0)) then();
      });
      // A reload during the admission check may have removed this proxy from the trusted peers.
      if (proxied !== null && !this.#proxyHeaders.mayCome(proxied.peerAddress)) this.#end(connection);
      else if (this.#securing === null) this.#serve(connection, raw, null);
      else this.#handshake(connection, this.#securing);
    } else if (this.#refusals.begin(raw)) {
      const connection = this.#connection(raw, peerAddress, proxied, admission.answer);
      this.#refused.add(connection);
      raw.once('close', () => this.#refused.delete(connection));
      if (this.#securing === null) this.#refusals.answer(raw, raw, admission.answer);
      else this.#handshake(connection, this.#securing);
    }
  }

  /** `socket` is the connection itself, or the TLS socket on it. */
  #serve(connection: Connection, socket: StreamSocket, tls: ConnectionTls | null): void {
    const { proxied } = connection;
    const client = proxied?.client ?? null;
    connection.served = socket;
    const isPlain = tls === null && proxied === null;
    this.#speakHttp(socket, isPlain ? plainOrigin : { tls, client, isUnnamed: proxied !== null && client === null });
  }

  #connection(
    raw: StreamSocket,
    peerAddress: string,
    proxied: ProxyHeaderContents | null,
    refusal: RejectionAnswer | null,
  ): Connection {
    const served = this.#securing === null ? raw : null;
    const acceptedMs = performance.now();
    return { raw, peerAddress, proxied, acceptedMs, served, clientTrust: null, isSettled: refusal !== null, refusal };
  }

  #handshake(connection: Connection, securing: TlsServer): void {
    const raw = toNodeSocket(connection.raw);
    raw.on('error', () => raw.destroy());
    // TLS signals half-close itself. Without this setting, a FIN during the handshake would leave
    // the socket half open.
    raw.allowHalfOpen = false;
    // The peer is already gone.
    if (raw.remoteAddress === undefined) {
      raw.destroy();
      return;
    }
    this.#handshakes.begin(raw, connection, () => this.#failed(connection, 'ECONNRESET'));
    securing.emit('connection', raw);
  }

  #server({ options, defaultContext, clientTrust }: PreparedTls): TlsServer {
    const server = createServer({ ...options, handshakeTimeout: this.#handshakeTimeoutMs });
    // Node builds the context for clients without SNI itself, ignores `allowPartialTrustChain`, and
    // has no public setter. If Node renames the field, such clients are trusted less, never more.
    Object.assign(server, { _sharedCreds: defaultContext });
    server.on('secureConnection', (socket) => this.#secured(socket, clientTrust));
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      // Node checks the certificate after the handshake and then only closes; the socket holds the
      // reason.
      const { authorizationError } = socket as { readonly authorizationError?: unknown };
      const code = typeof authorizationError === 'string' ? authorizationError : (error.code ?? 'UNKNOWN');
      this.#failed(this.#handshakes.take(socket), code);
      socket.destroy();
    });
    return server;
  }

  #secured(socket: TLSSocket, clientTrust: string | null): void {
    const connection = this.#handshakes.take(socket);
    if (connection !== null && connection.refusal !== null) {
      connection.served = socket;
      this.#refusals.answer(connection.raw, socket, connection.refusal);
      return;
    }
    const tls = connectionTls(socket, clientTrust !== null);
    const usedTrust = tls.ok && tls.value.clientCertificate !== null ? clientTrust : null;
    // A handshake that began before a reload may not satisfy the new settings.
    if (connection === null || !tls.ok || !this.#isSecureEnough({ isSecured: true, clientTrust: usedTrust })) {
      if (!tls.ok) this.#failed(connection, tls.error);
      socket.on('error', () => undefined);
      socket.destroy();
      return;
    }
    connection.clientTrust = usedTrust;
    this.#serve(connection, socket, tls.value);
  }

  #failed(connection: Connection | null, code: string): void {
    if (connection === null || connection.isSettled) return;
    connection.isSettled = true;
    // A peer that connects and closes without data is a port check, not a failure.
    if (code === 'ECONNRESET' && isUnused(connection, connection.raw)) return;
    this.#handler.handshakeFailed({ listener: this.#key, peerAddress: connection.peerAddress, code });
  }
}
