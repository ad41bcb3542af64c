import type { Socket } from 'node:net';
import type { EngineLimits, RequestHandler } from '../../../../application/ports/gateway/http-engine.js';
import type { StreamSocket } from '../../../stream-sockets/stream-socket.js';
import { type ConnectionOrigin, clientConnection } from '../connections/client-connection.js';
import { Deadlines, type ListenerTimers } from '../connections/deadlines.js';
import type { EngineSessions } from '../connections/engine-listener.js';
import { Http2Connection, type Http2Serving } from './http2-connection.js';

/** HTTP/2 connections of a listener, by socket. */
export class Http2Sessions implements EngineSessions {
  readonly #key: string;
  readonly #serving: Http2Serving;
  readonly #connections = new WeakMap<StreamSocket, Http2Connection>();

  /** @param key key of the listener */
  constructor(key: string, handler: RequestHandler, limits: EngineLimits, patience: ListenerTimers) {
    this.#key = key;
    this.#serving = { handler, limits, patience, deadlines: new Deadlines() };
  }

  has(socket: StreamSocket): boolean {
    return this.#connections.has(socket);
  }

  /** Starts HTTP/2 on a connection from its first octet. */
  speak(socket: Socket, origin: ConnectionOrigin): void {
    const client = clientConnection(socket, this.#key, origin);
    this.#connections.set(socket, new Http2Connection(socket, client, this.#serving));
  }

  isIdle(socket: StreamSocket, sinceMs: number): boolean {
    return this.#connections.get(socket)?.hasBeenIdleSince(sinceMs) ?? false;
  }

  takeLeave(socket: StreamSocket): boolean {
    this.#connections.get(socket)?.close();
    return this.has(socket);
  }

  retire(socket: StreamSocket, graceMs: number): void {
    this.#connections.get(socket)?.retire(graceMs);
  }
}
