import type { Socket } from 'node:net';
import { boundLateReads } from '../../../event-loop-batching/deferred-reads.js';
import type { ConnectionOrigin } from '../connections/connection-origin.js';
import type { EngineSessions } from '../connections/engine-listener.js';
import type { ConnectionSurroundings } from './connection-surroundings.js';
import { CoreConnection } from './core-connection.js';

/** The connections of a listener, by the socket that HTTP is spoken on. */
export class CoreSessions implements EngineSessions {
  readonly #around: ConnectionSurroundings;
  readonly #connections = new WeakMap<Socket, CoreConnection>();

  constructor(around: ConnectionSurroundings) {
    this.#around = around;
  }

  /** HTTP is spoken on this socket from now on. */
  speak(socket: Socket, origin: ConnectionOrigin): void {
    // A burst of them does not keep those waiting that came before.
    boundLateReads();
    this.#connections.set(socket, new CoreConnection(socket, origin, this.#around));
  }

  isIdle(socket: Socket, sinceMs: number): boolean {
    return this.#connections.get(socket)?.hasBeenIdleSince(sinceMs) ?? false;
  }

  retire(socket: Socket, graceMs: number): void {
    this.#connections.get(socket)?.retire(graceMs);
  }
}
