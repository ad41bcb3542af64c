import type { Server, Socket } from 'node:net';
import type { BoundListener, EngineLimits, TlsContext } from '../../../../application/ports/gateway/http-engine.js';
import type { ListeningSocket } from '../../../../application/ports/gateway/listening-sockets.js';
import type { SocketAddress } from '../../../../domain/configuration/network-addresses.js';
import type { ListenerTimeouts } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { CidrSet } from '../../../../domain/http/cidr-set.js';
import { firstIdleMoment, nextIdleMoment } from '../../../../domain/http/connection-header-cache.js';
import type { ConnectionGate } from './connection-gate.js';
import { cutAfter } from './connection-refuser.js';
import type { ListenerTimers } from './listener-timers.js';
import { PreparedTls } from './prepared-tls.js';

/** How often a draining listener looks for connections that have become idle. */
const sweepMs = 100;
/** Connections that may wait to be accepted; the system cuts it to what it allows. Node's own 511 would cut a burst. */
const backlog = 4_096;

/** The connections of a listener that HTTP is spoken on. */
export interface EngineSessions {
  /** Whether it has been idle since that moment, by the monotonic clock. */
  isIdle(socket: Socket, sinceMs: number): boolean;
  /**
   * The client would not be let in any more as it was when it came. Ends the connection: a tunnel and an idle one at once,
   * any other after the response that is under way, at the latest after the grace.
   */
  retire(socket: Socket, graceMs: number): void;
  /** Ends an idle connection, where its protocol has a word for that. False: it has none, and is just closed. */
  takeLeave?(socket: Socket): boolean;
  /** Whether plain connections that come from now on may begin with HTTP/2. */
  acceptHttp2?(isAccepted: boolean): void;
}

/** A listener of the engine: `server` accepts, and hands what it has accepted to the gate. */
export class EngineListener implements BoundListener {
  readonly #server: Server;
  readonly #gate: ConnectionGate;
  readonly #sessions: EngineSessions;
  readonly #patience: ListenerTimers;
  readonly #socket: ListeningSocket;
  readonly #limits: EngineLimits;

  constructor(
    readonly key: string,
    server: Server,
    gate: ConnectionGate,
    sessions: EngineSessions,
    patience: ListenerTimers,
    socket: ListeningSocket,
    limits: EngineLimits,
  ) {
    this.#server = server;
    this.#gate = gate;
    this.#sessions = sessions;
    this.#patience = patience;
    this.#socket = socket;
    this.#limits = limits;
  }

  address(): SocketAddress {
    return this.#socket.address;
  }

  listen(): Promise<void> {
    const { address, listenable } = this.#socket;
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        this.#socket.close();
        // Of a socket that is bound already, Node does not know where.
        reject(Object.assign(error, { address: address.host, port: address.port }));
      };
      this.#server.once('error', fail);
      this.#server.listen(listenable, backlog, () => {
        this.#server.off('error', fail);
        // A connection that the system could not hand over, as for want of memory: the next one may come.
        this.#server.on('error', () => undefined);
        resolve();
      });
    });
  }

  connections(): number {
    return this.#gate.size;
  }

  waitFor(timeouts: ListenerTimeouts): void {
    this.#patience.change(timeouts);
    this.#gate.waitFor(this.#patience.handshakeMs);
  }

  expectProxyHeaders(from: CidrSet | null, graceMs: number): void {
    for (const socket of this.#gate.expectProxyHeaders(from)) this.#sessions.retire(socket, graceMs);
  }

  secure(tls: TlsContext | null, graceMs: number): void {
    for (const socket of this.#gate.secure(ownTls(tls))) this.#sessions.retire(socket, graceMs);
  }

  acceptHttp2(isAccepted: boolean): void {
    this.#sessions.acceptHttp2?.(isAccepted);
  }

  drain(graceMs: number, isReplaced = false): Promise<void> {
    const { drainLingerMs, replacedLingerMs } = this.#limits;
    const lingerMs = Math.min(isReplaced ? replacedLingerMs : drainLingerMs, graceMs);
    return new Promise((resolve) => {
      // Connections that are used end with their next response: the gateway says close in each.
      const pace = { lingerMs, lookMs: sweepMs };
      let momentMs = firstIdleMoment(performance.now(), pace);
      // What has come is read first, also where the process was held up.
      const closeIdle = (): void => void setImmediate(() => this.#closeIdle(momentMs));
      const sweep = setInterval(() => {
        momentMs = nextIdleMoment(momentMs, performance.now(), pace);
        closeIdle();
      }, sweepMs);
      const cut = cutAfter(graceMs, () => this.#gate.endAll());
      const end = (): void => {
        clearInterval(sweep);
        clearTimeout(cut);
        resolve();
      };
      // The server counts a connection as ended a little before that is told of it.
      this.#server.close(() => this.#gate.whenEmpty(end));
      // The server has closed it for this process: it is not to be handed on any more.
      this.#socket.close();
      closeIdle();
    });
  }

  #closeIdle(sinceMs: number): void {
    this.#gate.endIdle(sinceMs, (socket) => {
      return this.#sessions.isIdle(socket, sinceMs) && this.#sessions.takeLeave?.(socket) !== true;
    });
  }
}

/** TLS as this engine prepares it. */
export const ownTls = (tls: TlsContext | null): PreparedTls | null => {
  if (tls === null || tls instanceof PreparedTls) return tls;
  throw new TypeError('the TLS was prepared by another engine');
};
