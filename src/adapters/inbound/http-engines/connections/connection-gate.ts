import type { Socket } from 'node:net';
import { createServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type {
  ConnectionAdmission,
  RejectionAnswer,
  RequestHandler,
} from '../../../../application/ports/gateway/http-engine.js';
import type { ConnectionTls } from '../../../../application/ports/gateway/http-exchange.js';
import type { CidrSet } from '../../../../domain/http/cidr-set.js';
import { unmappedAddress } from '../../../../domain/http/ip-address.js';
import { type ConnectionOrigin, plainOrigin } from './client-connection.js';
import type { ConnectionRefuser } from './connection-refuser.js';
import { connectionTls } from './connection-tls.js';
import { PendingAdmissions } from './pending-admissions.js';
import type { PreparedTls } from './prepared-tls.js';
import type { Proxied, ProxyHeaders } from './proxy-headers.js';
import { TlsHandshakes } from './tls-handshakes.js';

/** A connection that the listener has accepted. */
interface Connection {
  readonly raw: Socket;
  /** Of the client that a PROXY header names, where one came. */
  readonly peerAddress: string;
  /** Null where no PROXY header had to come. */
  readonly proxied: Proxied | null;
  /** By the monotonic clock. */
  readonly acceptedMs: number;
  /** What HTTP is spoken on; null until the TLS handshake is over. */
  served: Socket | null;
  /** What the certificate of the client was trusted by; null where it showed none. */
  clientTrust: string | null;
  /** Its end has been told of, or is none of the client's doing. */
  isSettled: boolean;
  /** What its client is told instead of being let in; null where it is let in. */
  readonly refusal: RejectionAnswer | null;
}

/** Nothing was sent on a socket: the connection, or what TLS is spoken on over it. A PROXY header is the proxy's. */
const isUnused = ({ raw, proxied }: Connection, socket: Socket): boolean =>
  socket.bytesRead === (socket === raw ? (proxied?.octets ?? 0) : 0);

/** What counts where it is asked whether a connection is secured as it has to be. */
interface Security {
  readonly isSecured: boolean;
  /** See `Connection`. */
  readonly clientTrust: string | null;
}

/**
 * Hands the connections of a listener to HTTP: as they come, or once they are secured. That is decided for each when it
 * is accepted: a change touches those that stand only where they would not be let in any more.
 */
export class ConnectionGate {
  readonly #key: string;
  readonly #handler: RequestHandler;
  readonly #refusals: ConnectionRefuser;
  readonly #proxyHeaders: ProxyHeaders;
  readonly #pending = new PendingAdmissions();
  #handshakeTimeoutMs: number;
  readonly #speakHttp: (socket: Socket, origin: ConnectionOrigin) => void;
  /** Those that were let in. */
  readonly #open = new Set<Connection>();
  readonly #refused = new Set<Connection>();
  readonly #emptied: (() => void)[] = [];
  readonly #handshakes = new TlsHandshakes<Connection>();
  /** Does not listen itself; null while the listener speaks plain HTTP. */
  #securing: TlsServer | null = null;
  #tlsNow: PreparedTls | null = null;

  /**
   * `speakHttp` gets every connection that was let in: the socket that HTTP is to be spoken on, of TLS where that is spoken,
   * and what is known of it.
   */
  constructor(
    key: string,
    handler: RequestHandler,
    refusals: ConnectionRefuser,
    proxyHeaders: ProxyHeaders,
    handshakeTimeoutMs: number,
    speakHttp: (socket: Socket, origin: ConnectionOrigin) => void,
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

  /** Calls this once all that were let in have ended and were released. */
  whenEmpty(then: () => void): void {
    if (this.#open.size === 0) then();
    else this.#emptied.push(then);
  }

  /** How long a handshake may last from now on. */
  waitFor(handshakeTimeoutMs: number): void {
    if (this.#handshakeTimeoutMs === handshakeTimeoutMs) return;
    this.#handshakeTimeoutMs = handshakeTimeoutMs;
    this.#securing = this.#tlsNow && this.#server(this.#tlsNow);
  }

  /**
   * How connections are secured from now on; null: not at all. Gives the sockets that HTTP is spoken on with clients that
   * have to prove now what they have not: those whose certificates were trusted by something else than what is trusted
   * now, those without a certificate where one is a must, and plain ones where TLS is.
   */
  secure(tls: PreparedTls | null): readonly Socket[] {
    this.#securing = tls && this.#server(tls);
    this.#tlsNow = tls;
    const outdated: Socket[] = [];
    for (const { raw, served, clientTrust } of this.#open) {
      if (served !== null && !this.#isSecureEnough({ isSecured: served !== raw, clientTrust })) outdated.push(served);
    }
    return outdated;
  }

  /**
   * Who has to send PROXY headers from now on; null: nobody. Gives the sockets that HTTP is spoken on with clients that were
   * named by somebody who could not name them any more. Those that it is not spoken on yet end.
   */
  expectProxyHeaders(from: CidrSet | null): readonly Socket[] {
    this.#proxyHeaders.expectFrom(from);
    const outdated: Socket[] = [];
    for (const connection of this.#open) {
      const { proxied, served } = connection;
      if (proxied === null || this.#proxyHeaders.mayCome(proxied.peerAddress)) continue;
      if (served === null) this.#end(connection);
      else outdated.push(served);
    }
    return outdated;
  }

  /** Ends those that are idle, and of those accepted before that moment any that has sent nothing or is not secured yet. */
  endIdle(acceptedBeforeMs: number, isIdle: (socket: Socket) => boolean): void {
    this.#proxyHeaders.endWaiting(acceptedBeforeMs);
    this.#pending.endWaiting(acceptedBeforeMs);
    for (const connection of this.#open) {
      const { served, acceptedMs } = connection;
      const isSilent = served === null || isUnused(connection, served);
      if (isSilent ? acceptedMs <= acceptedBeforeMs : isIdle(served)) this.#end(connection);
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

  /** Takes a connection that the listener has just accepted. */
  take(raw: Socket): void {
    const { remoteAddress } = raw;
    // Whoever has gone already has nothing to be judged by.
    if (remoteAddress === undefined) {
      raw.destroy();
      return;
    }
    const peerAddress = unmappedAddress(remoteAddress);
    if (!this.#proxyHeaders.areExpected) this.#judge(raw, peerAddress, null);
    else {
      this.#proxyHeaders.take(raw, peerAddress, (proxied) =>
        this.#judge(raw, proxied.client?.address ?? peerAddress, proxied),
      );
    }
  }

  /** `peerAddress`: see `Connection`. */
  #judge(raw: Socket, peerAddress: string, proxied: Proxied | null): void {
    const admission = this.#handler.admit(this.#key, peerAddress);
    if (admission instanceof Promise) {
      this.#pending.take(raw, admission, (settled) => this.#receive(raw, peerAddress, proxied, settled));
    } else this.#receive(raw, peerAddress, proxied, admission);
  }

  #receive(raw: Socket, peerAddress: string, proxied: Proxied | null, admission: ConnectionAdmission): void {
    if (admission.kind === 'admitted') {
      const connection = this.#connection(raw, peerAddress, proxied, null);
      this.#open.add(connection);
      // It comes once; `once` would cost every idle connection more than that.
      raw.on('close', () => {
        this.#open.delete(connection);
        admission.release();
        if (this.#open.size === 0) for (const then of this.#emptied.splice(0)) then();
      });
      // While it was asked about, whoever named its client may have lost the right to.
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

  /** `socket`: the connection itself, or what TLS is spoken on over it. */
  #serve(connection: Connection, socket: Socket, tls: ConnectionTls | null): void {
    const { proxied } = connection;
    const client = proxied?.client ?? null;
    connection.served = socket;
    const isPlain = tls === null && proxied === null;
    this.#speakHttp(socket, isPlain ? plainOrigin : { tls, client, isUnnamed: proxied !== null && client === null });
  }

  #connection(raw: Socket, peerAddress: string, proxied: Proxied | null, refusal: RejectionAnswer | null): Connection {
    const served = this.#securing === null ? raw : null;
    const acceptedMs = performance.now();
    return { raw, peerAddress, proxied, acceptedMs, served, clientTrust: null, isSettled: refusal !== null, refusal };
  }

  #handshake(connection: Connection, securing: TlsServer): void {
    const { raw } = connection;
    raw.on('error', () => raw.destroy());
    // TLS says itself when a side is done. Without it, the end of a connection in its handshake means the end of both.
    raw.allowHalfOpen = false;
    const hasBegun = this.#handshakes.begin(raw, connection, () => this.#failed(connection, 'ECONNRESET'));
    if (hasBegun) securing.emit('connection', raw);
    else raw.destroy();
  }

  #server({ options, defaultContext, clientTrust }: PreparedTls): TlsServer {
    const server = createServer({ ...options, handshakeTimeout: this.#handshakeTimeoutMs });
    // Node makes the context for clients that name no server itself, without `allowPartialTrustChain`, and has no public
    // way to be given one. Should its name for it change, such clients are trusted less, never more.
    Object.assign(server, { _sharedCreds: defaultContext });
    server.on('secureConnection', (socket) => this.#secured(socket, clientTrust));
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      // Node looks at the certificate once the handshake is over, and then only closes: the reason is with the socket.
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
    // One that began before a change has proved what was asked then, which may be too little now.
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
    // Whoever connects and leaves without a word looks whether the port is open, and fails in nothing.
    if (code === 'ECONNRESET' && isUnused(connection, connection.raw)) return;
    this.#handler.handshakeFailed({ listener: this.#key, peerAddress: connection.peerAddress, code });
  }
}
