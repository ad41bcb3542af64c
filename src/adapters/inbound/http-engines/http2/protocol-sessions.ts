import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { RequestHandler } from '../../../../application/ports/gateway/http-engine.js';
import { type StreamSocket, toNodeSocket } from '../../../stream-sockets/stream-socket.js';
import { type ConnectionOrigin, clientConnection } from '../connections/client-connection.js';
import { rejectionOctets } from '../connections/connection-refuser.js';
import { Deadline, Deadlines, type ListenerTimers } from '../connections/deadlines.js';
import type { EngineSessions } from '../connections/engine-listener.js';
import type { Http2Sessions } from './http2-sessions.js';

/** The HTTP/2 connection preface (RFC 9113, section 3.4); no HTTP/1.1 request starts with it. */
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Protocol of the first octets; null if more are needed. */
const begins = (came: Buffer): 'http1' | 'http2' | null => {
  const length = Math.min(came.length, preface.length);
  if (came.compare(preface, 0, length, 0, length) !== 0) return 'http1';
  return length === preface.length ? 'http2' : null;
};

/** Detects the HTTP version of plaintext connections by their first octets. */
class ConnectionPrefaces {
  readonly #deadlines: Deadlines;
  readonly #awaited = new WeakMap<StreamSocket, () => void>();

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** Whether the first octets are still due. */
  awaits(socket: StreamSocket): boolean {
    return this.#awaited.has(socket);
  }

  /**
   * Calls `told` when the version is known, with the octets unshifted, or `late` on timeout.
   * Neither is called if the connection closes first.
   */
  take(socket: Socket, timeoutMs: number, told: (spoken: 'http1' | 'http2') => void, late: () => void): void {
    let came: Buffer = Buffer.alloc(0);
    const settle = (): void => {
      this.#awaited.delete(socket);
      this.#deadlines.remove(deadline);
      socket.off('readable', read).off('end', end).off('error', end).off('close', settle);
    };
    const end = (): void => void socket.destroy();
    const read = (): void => {
      const piece = socket.read() as Buffer | null;
      if (piece === null) return;
      came = came.length === 0 ? piece : Buffer.concat([came, piece]);
      const spoken = begins(came);
      if (spoken === null) return;
      settle();
      socket.unshift(came);
      told(spoken);
    };
    const deadline = new Deadline(() => {
      settle();
      late();
    });
    this.#awaited.set(socket, settle);
    this.#deadlines.set(deadline, performance.now() + timeoutMs);
    socket.on('readable', read).on('end', end).on('error', end).on('close', settle);
  }
}

/** Time for a client to read the final response, in milliseconds. */
const closeGraceMs = 1_000;

export interface SpeakingSessions extends EngineSessions {
  /** Starts the protocol on a connection from its first octet. */
  speak(socket: StreamSocket, origin: ConnectionOrigin): void;
}

/** Dispatches connections to HTTP/1.1 or HTTP/2 by ALPN or by the first octets. */
export class ProtocolSessions implements SpeakingSessions {
  readonly #key: string;
  readonly #handler: RequestHandler;
  readonly #patience: ListenerTimers;
  readonly #http1: SpeakingSessions;
  readonly #http2: Http2Sessions;
  readonly #prefaces = new ConnectionPrefaces(new Deadlines());
  #acceptsPrefaces: boolean;

  /** @param acceptsPrefaces see `acceptHttp2` */
  constructor(
    key: string,
    handler: RequestHandler,
    patience: ListenerTimers,
    http1: SpeakingSessions,
    http2: Http2Sessions,
    acceptsPrefaces: boolean,
  ) {
    this.#key = key;
    this.#handler = handler;
    this.#patience = patience;
    this.#http1 = http1;
    this.#http2 = http2;
    this.#acceptsPrefaces = acceptsPrefaces;
  }

  /** Sets whether new plaintext connections may start with the HTTP/2 preface. */
  acceptHttp2(isAccepted: boolean): void {
    this.#acceptsPrefaces = isAccepted;
  }

  speak(socket: StreamSocket, origin: ConnectionOrigin): void {
    if (socket instanceof TLSSocket) {
      const isHttp2 = socket.alpnProtocol === 'h2';
      (isHttp2 ? this.#http2 : this.#http1).speak(socket, origin);
    } else if (this.#acceptsPrefaces) {
      const stream = toNodeSocket(socket);
      this.#prefaces.take(
        stream,
        this.#patience.timeouts.headMs,
        (spoken) => (spoken === 'http2' ? this.#http2 : this.#http1).speak(stream, origin),
        () => this.#refuse(stream, origin),
      );
    } else this.#http1.speak(socket, origin);
  }

  isIdle(socket: StreamSocket, sinceMs: number): boolean {
    if (this.#http2.has(socket)) return this.#http2.isIdle(socket, sinceMs);
    // A waiting connection has sent something; silent ones are handled elsewhere.
    return !this.#prefaces.awaits(socket) && this.#http1.isIdle(socket, sinceMs);
  }

  takeLeave(socket: StreamSocket): boolean {
    if (!this.#http2.has(socket)) return false;
    this.#http2.takeLeave(socket);
    return true;
  }

  retire(socket: StreamSocket, graceMs: number): void {
    if (this.#http2.has(socket)) this.#http2.retire(socket, graceMs);
    else if (this.#prefaces.awaits(socket)) socket.destroy();
    else this.#http1.retire(socket, graceMs);
  }

  /** Sends the HTTP/1.1 head-timeout response: the first octets did not show another version. */
  #refuse(socket: Socket, origin: ConnectionOrigin): void {
    const connection = clientConnection(socket, this.#key, origin);
    socket.on('error', () => socket.destroy());
    // Unread input would turn the close into a reset.
    socket.resume();
    socket.end(rejectionOctets(this.#handler.reject({ connection, reason: 'timed_out' })));
    setTimeout(() => socket.destroy(), closeGraceMs).unref();
  }
}
