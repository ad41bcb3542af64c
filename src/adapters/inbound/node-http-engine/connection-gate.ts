import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import type { RejectionAnswer, RequestHandler } from '../../../application/ports/http-engine.js';
import type { ConnectionTls } from '../../../application/ports/http-exchange.js';
import { unmappedAddress } from '../../../domain/http/unmapped-address.js';
import type { ConnectionRefusals } from './connection-refusals.js';
import { connectionTls } from './connection-tls.js';
import type { PreparedTls } from './prepared-tls.js';
import { TlsHandshakes } from './tls-handshakes.js';

/** A connection that the listener has accepted. */
interface Connection {
  readonly raw: Socket;
  readonly peerAddress: string;
  /** What HTTP is spoken on; null until the TLS handshake is over. */
  served: Socket | null;
  /** What the certificate of the client was trusted by; null where it showed none. */
  clientTrust: string | null;
  /** Its end has been told of, or is none of the client's doing. */
  isSettled: boolean;
  /** What its client is told instead of being let in; null where it is let in. */
  readonly refusal: RejectionAnswer | null;
}

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
  readonly #refusals: ConnectionRefusals;
  #handshakeTimeoutMs: number;
  readonly #speakHttp: (socket: Socket) => void;
  /** Those that were let in. */
  readonly #open = new Set<Connection>();
  readonly #refused = new Set<Connection>();
  readonly #handshakes = new TlsHandshakes<Connection>();
  readonly #tls = new WeakMap<Socket, ConnectionTls>();
  /** Does not listen itself; null while the listener speaks plain HTTP. */
  #securing: TlsServer | null = null;
  #tlsNow: PreparedTls | null = null;

  /** Takes the place of what `server` does with its connections by itself. */
  constructor(
    key: string,
    server: HttpServer,
    handler: RequestHandler,
    refusals: ConnectionRefusals,
    handshakeTimeoutMs: number,
  ) {
    this.#key = key;
    this.#handler = handler;
    this.#refusals = refusals;
    this.#handshakeTimeoutMs = handshakeTimeoutMs;
    const own = server.listeners('connection') as ((socket: Socket) => void)[];
    this.#speakHttp = (socket) => {
      for (const listener of own) listener.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (raw: Socket) => this.#take(raw));
  }

  get size(): number {
    return this.#open.size;
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

  /** What is known of the TLS of a socket that HTTP is spoken on; null on a plain one. */
  tlsOf(socket: Socket): ConnectionTls | null {
    return this.#tls.get(socket) ?? null;
  }

  /** Ends those that have never sent anything, those whose handshake is not over, and those that are idle. */
  endIdle(isIdle: (socket: Socket) => boolean): void {
    for (const connection of this.#open) {
      const { served } = connection;
      if (served === null || served.bytesRead === 0 || isIdle(served)) this.#end(connection);
    }
  }

  endAll(): void {
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

  #take(raw: Socket): void {
    const { remoteAddress } = raw;
    // Whoever has gone already has nothing to be judged by.
    if (remoteAddress === undefined) {
      raw.destroy();
      return;
    }
    const peerAddress = unmappedAddress(remoteAddress);
    const admission = this.#handler.admit(this.#key, peerAddress);
    if (admission.kind === 'admitted') {
      const connection = this.#connection(raw, peerAddress, null);
      this.#open.add(connection);
      // It comes once; `once` would cost every idle connection more than that.
      raw.on('close', () => {
        this.#open.delete(connection);
        admission.release();
      });
      if (this.#securing === null) this.#speakHttp(raw);
      else this.#handshake(connection, this.#securing);
    } else if (this.#refusals.begin(raw)) {
      const connection = this.#connection(raw, peerAddress, admission.answer);
      this.#refused.add(connection);
      raw.once('close', () => this.#refused.delete(connection));
      if (this.#securing === null) this.#refusals.answer(raw, raw, admission.answer);
      else this.#handshake(connection, this.#securing);
    }
  }

  #connection(raw: Socket, peerAddress: string, refusal: RejectionAnswer | null): Connection {
    const served = this.#securing === null ? raw : null;
    return { raw, peerAddress, served, clientTrust: null, isSettled: refusal !== null, refusal };
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
    connection.served = socket;
    connection.clientTrust = usedTrust;
    this.#tls.set(socket, tls.value);
    this.#speakHttp(socket);
  }

  #failed(connection: Connection | null, code: string): void {
    if (connection === null || connection.isSettled) return;
    connection.isSettled = true;
    // Whoever connects and leaves without a word looks whether the port is open, and fails in nothing.
    if (code === 'ECONNRESET' && connection.raw.bytesRead === 0) return;
    this.#handler.handshakeFailed({ listener: this.#key, peerAddress: connection.peerAddress, code });
  }
}
