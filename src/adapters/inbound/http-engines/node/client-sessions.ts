import type { Socket } from 'node:net';
import { type ConnectionOrigin, plainOrigin } from '../connections/connection-origin.js';
import type { EngineSessions } from '../connections/engine-listener.js';
import { ClientSession } from './client-session.js';

/** The sessions of a listener, by the socket that HTTP is spoken on. */
export class ClientSessions implements EngineSessions {
  readonly #key: string;
  readonly #idleMs: () => number;
  readonly #speakHttp: (socket: Socket) => void;
  readonly #sessions = new WeakMap<Socket, ClientSession>();
  /** Those that are not plain. */
  readonly #origins = new WeakMap<Socket, ConnectionOrigin>();

  /**
   * `key`: of the listener. `idleMs`: how long a connection may be idle after a response that ends now. `speakHttp`: has a
   * connection served.
   */
  constructor(key: string, idleMs: () => number, speakHttp: (socket: Socket) => void) {
    this.#key = key;
    this.#idleMs = idleMs;
    this.#speakHttp = speakHttp;
  }

  /** Whether it has been idle since that moment, by the monotonic clock. One without a session has not sent a whole head yet. */
  isIdle(socket: Socket, sinceMs: number): boolean {
    return this.#sessions.get(socket)?.hasBeenIdleSince(sinceMs) ?? false;
  }

  /** Speaks HTTP/1.1 on a connection from now on. */
  speak(socket: Socket, origin: ConnectionOrigin): void {
    if (origin !== plainOrigin) this.#origins.set(socket, origin);
    this.#speakHttp(socket);
  }

  retire(socket: Socket, graceMs: number): void {
    this.of(socket).retire(graceMs);
  }

  /** Begins with the first call for a socket. */
  of(socket: Socket): ClientSession {
    let session = this.#sessions.get(socket);
    if (!session) {
      session = new ClientSession(socket, this.#key, this.#origins.get(socket) ?? plainOrigin, this.#idleMs);
      this.#sessions.set(socket, session);
    }
    return session;
  }
}
