import type { Socket } from 'node:net';
import { ClientSession } from './client-session.js';
import type { ConnectionGate } from './connection-gate.js';

/** The sessions of a listener, by the socket that HTTP is spoken on. */
export class ClientSessions {
  readonly #key: string;
  readonly #gate: ConnectionGate;
  readonly #sessions = new WeakMap<Socket, ClientSession>();

  /** `key`: of the listener. */
  constructor(key: string, gate: ConnectionGate) {
    this.#key = key;
    this.#gate = gate;
  }

  /** Begins with the first call for a socket. */
  of(socket: Socket): ClientSession {
    let session = this.#sessions.get(socket);
    if (!session) {
      session = new ClientSession(socket, this.#key, this.#gate.tlsOf(socket));
      this.#sessions.set(socket, session);
    }
    return session;
  }
}
