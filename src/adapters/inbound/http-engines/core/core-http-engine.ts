import type {
  BoundListener,
  HttpEngine,
  ListenerOptions,
  RequestHandler,
  TlsContext,
  TlsMaterial,
} from '../../../../application/ports/gateway/http-engine.js';
import type { ListeningSockets } from '../../../../application/ports/gateway/listening-sockets.js';
import type { TicketKeys } from '../../../../application/ports/gateway/ticket-keys.js';
import type { SocketAddress } from '../../../../domain/configuration/network-addresses.js';
import type { Result } from '../../../../domain/shared/result.js';
import { boundLateReads } from '../../../event-loop-batching/event-loop-turn.js';
import { nodeSocketLayer } from '../../../stream-sockets/node-socket-layer.js';
import type { SocketLayerSelector } from '../../../stream-sockets/socket-layer-selector.js';
import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';
import type { ConnectionOrigin } from '../connections/client-connection.js';
import { ConnectionGate } from '../connections/connection-gate.js';
import { ConnectionRefuser } from '../connections/connection-refuser.js';
import { Deadlines, ListenerTimers } from '../connections/deadlines.js';
import { EngineListener, type EngineSessions, ownTls } from '../connections/engine-listener.js';
import { prepareTls } from '../connections/prepared-tls.js';
import { ProxyHeaders } from '../connections/proxy-headers.js';
import { ReadAheadBudget } from '../connections/read-ahead.js';
import { SessionTickets } from '../connections/session-tickets.js';
import { Http2Sessions } from '../http2/http2-sessions.js';
import { ProtocolSessions } from '../http2/protocol-sessions.js';
import { CoreConnection } from './core-connection.js';
import { CorkedWrites } from './corked-writes.js';
import type { Http1ConnectionContext } from './http1-connection-context.js';

/** HTTP/1.1 connections of a listener, by socket. */
export class CoreSessions implements EngineSessions {
  readonly #around: Http1ConnectionContext;
  readonly #connections = new WeakMap<StreamSocket, CoreConnection>();

  constructor(around: Http1ConnectionContext) {
    this.#around = around;
  }

  /** Starts HTTP/1.1 on a socket. */
  speak(socket: StreamSocket, origin: ConnectionOrigin): void {
    // A burst of new connections must not delay existing ones.
    boundLateReads();
    this.#connections.set(socket, new CoreConnection(socket, origin, this.#around));
  }

  isIdle(socket: StreamSocket, sinceMs: number): boolean {
    return this.#connections.get(socket)?.hasBeenIdleSince(sinceMs) ?? false;
  }

  retire(socket: StreamSocket, graceMs: number): void {
    this.#connections.get(socket)?.retire(graceMs);
  }
}

/** Serves HTTP/1.1 with the project's parser, and HTTP/2 over node:http2. */
export class CoreHttpEngine implements HttpEngine {
  readonly #sockets: ListeningSockets;
  readonly #layers: SocketLayerSelector;
  readonly #refusals = new ConnectionRefuser();
  readonly #deadlines = new Deadlines();
  readonly #writes = new CorkedWrites();
  readonly #tickets = new SessionTickets();

  constructor(sockets: ListeningSockets, layers: SocketLayerSelector) {
    this.#sockets = sockets;
    this.#layers = layers;
  }

  prepareTls(material: TlsMaterial): Result<TlsContext, string> {
    return prepareTls(material, Date.now(), this.#tickets);
  }

  useTicketKeys(keys: TicketKeys): void {
    this.#tickets.use(keys);
  }

  async bind(
    key: string,
    address: SocketAddress,
    handler: RequestHandler,
    { name, limits, timeouts, tls, proxyHeaderFrom, http2 }: ListenerOptions,
  ): Promise<BoundListener> {
    const patience = new ListenerTimers(limits, timeouts);
    const proxyHeaders = new ProxyHeaders(
      () => patience.timeouts.proxyHeaderMs,
      (peerAddress, reason) => handler.proxyHeaderFailed({ listener: key, peerAddress, reason }),
    );
    const budget = new ReadAheadBudget();
    const [deadlines, writes] = [this.#deadlines, this.#writes];
    const http1 = new CoreSessions({ key, handler, limits, patience, budget, deadlines, writes });
    const http2Sessions = new Http2Sessions(key, handler, limits, patience);
    const sessions = new ProtocolSessions(key, handler, patience, http1, http2Sessions, http2);
    const gate = new ConnectionGate(
      key,
      handler,
      this.#refusals,
      proxyHeaders,
      patience.handshakeMs,
      (socket, origin) => sessions.speak(socket, origin),
    );
    gate.expectProxyHeaders(proxyHeaderFrom);
    gate.secure(ownTls(tls));
    const socket = await this.#sockets.open(key, address, name);
    // TLS, PROXY headers and HTTP/2 run on sockets of Node: a native one would only be handed over.
    const needsNode = tls !== null || proxyHeaderFrom !== null || http2;
    const layer = needsNode ? nodeSocketLayer : this.#layers.current;
    const acceptor = layer.acceptor(socket, (raw) => gate.take(raw));
    return new EngineListener(key, acceptor, gate, sessions, patience, socket, limits);
  }
}
