import type { Socket } from 'node:net';
import { ClientSession } from './client-session.js';
import type { ConnectionGate } from './connection-gate.js';

/** The sessions of a listener, by the socket that HTTP is spoken on. */
export class ClientSessions {
  readonly #key: string;
  readonly #gate: ConnectionGate;
  readonly #idleMs: () => number;
  readonly #sessions = new WeakMap<Socket, ClientSession>();

  /** `key`: of the listener. `idleMs`: how long a connection may be idle after a response that ends now. */
  constructor(key: string, gate: ConnectionGate, idleMs: () => number) {
    this.#key = key;
    this.#gate = gate;
    this.#idleMs = idleMs;
  }

  /** Whether it has been idle since that moment, by the monotonic clock. One without a session has not sent a whole head yet. */
  isIdle(socket: Socket, sinceMs: number): boolean {
    return this.#sessions.get(socket)?.hasBeenIdleSince(sinceMs) ?? false;
  }

  /** Begins with the first call for a socket. */
  of(socket: Socket): ClientSession {
    let session = this.#sessions.get(socket);
    if (!session) {
      session = new ClientSession(socket, this.#key, this.#gate.originOf(socket), this.#idleMs);
      this.#sessions.set(socket, session);
    }
    return session;
  }
}
