import type { Server } from 'node:http';
import type { OpenListener, TlsContext } from '../../../application/ports/http-engine.js';
import type { ListenerTimeouts, SocketAddress } from '../../../domain/configuration/gateway-configuration.js';
import type { ClientSessions } from './client-sessions.js';
import type { ConnectionGate } from './connection-gate.js';
import type { ListenerPatience } from './listener-patience.js';
import { PreparedTls } from './prepared-tls.js';

/** How often a draining listener looks for connections that have become idle. */
const sweepMs = 100;

export class NodeOpenListener implements OpenListener {
  readonly #server: Server;
  readonly #gate: ConnectionGate;
  readonly #sessions: ClientSessions;
  readonly #patience: ListenerPatience;
  readonly #address: SocketAddress;

  constructor(
    readonly key: string,
    server: Server,
    gate: ConnectionGate,
    sessions: ClientSessions,
    patience: ListenerPatience,
    address: SocketAddress,
  ) {
    this.#server = server;
    this.#gate = gate;
    this.#sessions = sessions;
    this.#patience = patience;
    this.#address = address;
  }

  address(): SocketAddress {
    return this.#address;
  }

  connections(): number {
    return this.#gate.size;
  }

  waitFor(timeouts: ListenerTimeouts): void {
    this.#patience.change(timeouts);
    this.#gate.waitFor(this.#patience.handshakeMs);
  }

  secure(tls: TlsContext | null, graceMs: number): void {
    for (const socket of this.#gate.secure(ownTls(tls))) this.#sessions.of(socket).retire(graceMs);
  }

  drain(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      // Idle keep-alive connections end now, the others with their response: the gateway says close in each.
      const sweep = setInterval(() => this.#closeIdle(), sweepMs);
      // Node calls a connection idle whose response is written, though its client has not got all of it yet.
      this.#server.closeIdleConnections = () => this.#closeIdle();
      const cut = setTimeout(() => this.#gate.endAll(), graceMs);
      this.#server.close(() => {
        clearInterval(sweep);
        clearTimeout(cut);
        resolve();
      });
      this.#closeIdle();
    });
  }

  #closeIdle(): void {
    this.#gate.endIdle((socket) => this.#sessions.isIdle(socket));
  }
}

/** TLS as this engine prepares it. */
export const ownTls = (tls: TlsContext | null): PreparedTls | null => {
  if (tls === null || tls instanceof PreparedTls) return tls;
  throw new TypeError('the TLS was prepared by another engine');
};
