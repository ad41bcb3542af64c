import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Clock } from '../../../application/ports/clock.js';
import type { Logger } from '../../../application/ports/logger.js';
import { isCompressedCall, isGrpcCall } from './grpc-call.js';
import { GrpcReply } from './grpc-reply.js';
import type { GrpcServerOptions } from './grpc-server-options.js';
import { grpcStatus } from './grpc-status.js';
import type { OneShotCalls } from './one-shot-calls.js';

/** The calls that a server takes, by the path of their method. */
export interface GrpcCalls {
  /** False where there are too many already. */
  readonly streams: ReadonlyMap<string, (stream: ServerHttp2Stream) => boolean>;
  readonly oneShotPath: string;
  readonly oneShotCalls: () => OneShotCalls;
}

export interface GrpcConnectionParts {
  readonly calls: GrpcCalls;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: GrpcServerOptions;
}

const httpStatusUnsupportedMediaType = 415;

/** One HTTP/2 connection: the calls that come by it, and whether anybody is still there. */
export class GrpcConnection {
  readonly #session: ServerHttp2Session;
  readonly #parts: GrpcConnectionParts;
  #streams = 0;
  #oneShotCalls: OneShotCalls | null = null;
  #hadCall = false;
  /** When the last call ended, or the connection began; null while there is a call. */
  #idleSinceMs: number | null;
  #pingedMs: number;
  #isPingAnswered = true;

  constructor(session: ServerHttp2Session, parts: GrpcConnectionParts) {
    this.#session = session;
    this.#parts = parts;
    this.#idleSinceMs = parts.clock.monotonicMs();
    this.#pingedMs = this.#idleSinceMs;
    session.on('stream', (stream, headers) => this.#accept(stream, headers));
    session.on('error', (error) => parts.logger.debug('A gateway connection failed', { reason: error.message }));
    session.on('close', () => this.#oneShotCalls?.close());
  }

  /** Closes it where nobody uses it or nobody answers. */
  check(): void {
    const { clock, options, logger } = this.#parts;
    const nowMs = clock.monotonicMs();
    const allowedMs = this.#hadCall ? options.idleTimeoutMs : options.handshakeTimeoutMs;
    if (this.#idleSinceMs !== null && nowMs - this.#idleSinceMs >= allowedMs) {
      this.destroy();
    } else if (nowMs - this.#pingedMs >= options.pingIntervalMs) {
      if (!this.#isPingAnswered) {
        logger.warn('A gateway connection is closed', { reason: 'the gateway does not answer' });
        this.destroy();
        return;
      }
      this.#ping(nowMs);
    }
  }

  /** Takes no new call, and ends with the last one. */
  drain(): void {
    if (!this.#session.closed) this.#session.close();
  }

  destroy(): void {
    this.#session.destroy();
  }

  #ping(nowMs: number): void {
    if (this.#session.destroyed || this.#session.closed) return;
    this.#pingedMs = nowMs;
    this.#isPingAnswered = false;
    this.#session.ping(() => {
      this.#isPingAnswered = true;
    });
  }

  #accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const { calls, logger, options } = this.#parts;
    stream.on('error', (error) => logger.debug('A call failed', { reason: error.message }));
    this.#streams += 1;
    this.#hadCall = true;
    this.#idleSinceMs = null;
    stream.on('close', () => {
      this.#streams -= 1;
      if (this.#streams === 0) this.#idleSinceMs = this.#parts.clock.monotonicMs();
    });
    // A peer that never agrees to the settings is not held to them by the engine.
    if (this.#streams > options.maxStreamsPerConnection) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    if (!isGrpcCall(headers)) {
      stream.respond({ ':status': httpStatusUnsupportedMediaType }, { endStream: true });
      stream.close(constants.NGHTTP2_NO_ERROR);
      return;
    }
    if (isCompressedCall(headers)) {
      new GrpcReply(stream).end(grpcStatus.unimplemented, 'this encoding is not supported');
      return;
    }
    const path = headers[':path'] ?? '';
    if (path === calls.oneShotPath) {
      this.#oneShotCalls ??= calls.oneShotCalls();
      this.#oneShotCalls.accept(stream);
      return;
    }
    const take = calls.streams.get(path);
    if (take === undefined) new GrpcReply(stream).end(grpcStatus.unimplemented, 'there is no such method');
    else if (!take(stream)) new GrpcReply(stream).end(grpcStatus.resourceExhausted, 'too many calls are open');
  }
}
