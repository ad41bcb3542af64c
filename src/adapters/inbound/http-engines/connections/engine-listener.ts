import type { BoundListener, EngineLimits, TlsContext } from '../../../../application/ports/gateway/http-engine.js';
import type { ListeningSocket } from '../../../../application/ports/gateway/listening-sockets.js';
import type { SocketAddress } from '../../../../domain/configuration/network-addresses.js';
import type { ListenerTimeouts } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import type { CidrSet } from '../../../../domain/http/cidr-set.js';
import { firstIdleMoment, nextIdleMoment } from '../../../../domain/http/idle-moment.js';
import type { Acceptor } from '../../../stream-sockets/socket-layer.js';
import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';
import type { ConnectionGate } from './connection-gate.js';
import { destroyAfter } from './connection-refuser.js';
import type { ListenerTimers } from './deadlines.js';
import { PreparedTls } from './prepared-tls.js';

/** Interval at which a draining listener closes idle connections, in milliseconds. */
const sweepMs = 100;

/** The HTTP connections of a listener. */
export interface EngineSessions {
  /** Whether the connection has been idle since `sinceMs` (monotonic clock). */
  isIdle(socket: StreamSocket, sinceMs: number): boolean;
  /**
   * Closes a connection that the new settings would refuse: tunnels and idle connections at once,
   * others after their current response, at the latest after `graceMs`.
   */
  retire(socket: StreamSocket, graceMs: number): void;
  /**
   * Closes an idle connection gracefully, where its protocol can (GOAWAY). False if it cannot; the
   * caller then closes it.
   */
  takeLeave?(socket: StreamSocket): boolean;
  /** Sets whether new plaintext connections may start with the HTTP/2 preface. */
  acceptHttp2?(isAccepted: boolean): void;
}

/** A listener of the engine. `acceptor` passes connections to the gate. */
export class EngineListener implements BoundListener {
  readonly #acceptor: Acceptor;
  readonly #gate: ConnectionGate;
  readonly #sessions: EngineSessions;
  readonly #patience: ListenerTimers;
  readonly #socket: ListeningSocket;
  readonly #limits: EngineLimits;

  constructor(
    readonly key: string,
    acceptor: Acceptor,
    gate: ConnectionGate,
    sessions: EngineSessions,
    patience: ListenerTimers,
    socket: ListeningSocket,
    limits: EngineLimits,
  ) {
    this.#acceptor = acceptor;
    this.#gate = gate;
    this.#sessions = sessions;
    this.#patience = patience;
    this.#socket = socket;
    this.#limits = limits;
  }

  address(): SocketAddress {
    return this.#socket.address;
  }

  async listen(): Promise<void> {
    const { address } = this.#socket;
    try {
      await this.#acceptor.listen();
    } catch (error) {
      this.#socket.close();
      // The system does not know the address of a socket that was bound elsewhere.
      throw Object.assign(error as Error, { address: address.host, port: address.port });
    }
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
      const cut = destroyAfter(graceMs, () => this.#gate.endAll());
      const end = (): void => {
        clearInterval(sweep);
        clearTimeout(cut);
        resolve();
      };
      this.#acceptor.close(() => this.#gate.whenEmpty(end));
      // The descriptor is closed in this process; it cannot be passed on any more.
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
