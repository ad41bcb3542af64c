import type { Server, Socket } from 'node:net';
import type { BoundListener, EngineLimits, TlsContext } from '../../../../application/ports/gateway/http-engine.js';
import type { ListeningSocket } from '../../../../application/ports/gateway/listening-sockets.js';
import type { SocketAddress } from '../../../../domain/configuration/network-addresses.js';
import type { ListenerTimeouts } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { CidrSet } from '../../../../domain/http/cidr-set.js';
import { firstIdleMoment, nextIdleMoment } from '../../../../domain/http/idle-moment.js';
import type { ConnectionGate } from './connection-gate.js';
import { cutAfter } from './connection-refuser.js';
import type { ListenerTimers } from './listener-timers.js';
import { PreparedTls } from './prepared-tls.js';

/** Interval at which a draining listener closes idle connections, in milliseconds. */
const sweepMs = 100;
/** Listen backlog; the kernel caps it. Node's default of 511 would drop bursts. */
const backlog = 4_096;

/** The HTTP connections of a listener. */
export interface EngineSessions {
  /** Whether the connection has been idle since `sinceMs` (monotonic clock). */
  isIdle(socket: Socket, sinceMs: number): boolean;
  /**
   * Closes a connection that the new settings would refuse: tunnels and idle connections at once,
   * others after their current response, at the latest after `graceMs`.
   */
  retire(socket: Socket, graceMs: number): void;
  /**
   * Closes an idle connection gracefully, where its protocol can (GOAWAY). False if it cannot; the
   * caller then closes it.
   */
  takeLeave?(socket: Socket): boolean;
  /** Sets whether new plaintext connections may start with the HTTP/2 preface. */
  acceptHttp2?(isAccepted: boolean): void;
}

/** A listener of the engine. `server` accepts connections and passes them to the gate. */
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
        // Node does not know the address of a socket that was bound elsewhere.
        reject(Object.assign(error, { address: address.host, port: address.port }));
      };
      this.#server.once('error', fail);
      this.#server.listen(listenable, backlog, () => {
        this.#server.off('error', fail);
        // The kernel could not hand over one connection, for example for lack of memory; the next
        // may work.
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
      // Active connections end with their next response, which carries `Connection: close`.
      const pace = { lingerMs, lookMs: sweepMs };
      let momentMs = firstIdleMoment(performance.now(), pace);
      // Read pending input first, even if the process was stalled.
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
      // The server counts a connection as closed shortly before the close event fires.
      this.#server.close(() => this.#gate.whenEmpty(end));
      // The server closed the descriptor in this process; it cannot be passed on any more.
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

/** The TLS context as this engine prepared it. */
export const ownTls = (tls: TlsContext | null): PreparedTls | null => {
  if (tls === null || tls instanceof PreparedTls) return tls;
  throw new TypeError('the TLS was prepared by another engine');
};
