import type { Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import { HeaderBlockGate } from '../../http2-sockets/header-block-gate.js';
import type { GrpcServiceDefinition } from '../../wire/agent-grpc/agent-service-definition.js';
import type { GrpcGatewayMessage } from '../../wire/agent-grpc/gateway-message.js';
import { type CallConnection, GrpcCall } from './grpc-call.js';
import {
  type GrpcServerLibrary,
  type GrpcServerOptions,
  maximumMessageBytes,
  type ServerTls,
} from './grpc-server-options.js';
import { grpcStatus } from './grpc-status.js';
import { type IncomingMessage, type LibraryCall, readerOf, skipMessage } from './incoming-message.js';
import { OctetWatch } from './octet-watch.js';
import type { OneShotCalls } from './one-shot-calls.js';

/** Accepts new calls. Returns false if too many calls are open. */
export interface GrpcCalls {
  processStream(call: GrpcCall<GrpcGatewayMessage>): boolean;
  controlStream(call: GrpcCall<null>): boolean;
  /** Serves the ProcessEvent calls of one connection. */
  oneShotCalls(): OneShotCalls;
}

export interface GrpcConnectionOptions {
  readonly grpc: GrpcServerLibrary;
  /** Null: plaintext. */
  readonly tls: ServerTls | null;
  readonly served: GrpcServiceDefinition;
  readonly calls: GrpcCalls;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly options: GrpcServerOptions;
}

const unchanged = (octets: Buffer): Buffer => octets;

/**
 * One connection of a gateway. Each connection has its own library server, which links calls to
 * connections.
 */
export class GatewayGrpcConnection implements CallConnection {
  /** Resolves when the connection and all its calls have ended. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #settings: GrpcConnectionOptions;
  readonly #server: Server;
  readonly #watch: OctetWatch;
  readonly #calls = new Set<GrpcCall<unknown>>();
  #closing: ScheduledTask | null = null;
  #oneShotCalls: OneShotCalls | null = null;
  #hadCall = false;
  #isClosing = false;
  /** Time when the last call ended or the connection began; null while a call is open. */
  #idleSinceMs: number | null;

  constructor(socket: Socket, settings: GrpcConnectionOptions) {
    this.#socket = socket;
    this.#settings = settings;
    const { grpc, tls, clock, logger, options } = settings;
    this.#idleSinceMs = clock.monotonicMs();
    this.#watch = new OctetWatch(grpc, clock);
    const server = new grpc.Server({
      'grpc.enable_channelz': 0,
      'grpc.keepalive_time_ms': options.pingIntervalMs,
      'grpc.keepalive_timeout_ms': options.pingIntervalMs,
      'grpc.max_concurrent_streams': options.maxStreamsPerConnection,
      'grpc.max_receive_message_length': maximumMessageBytes,
      interceptors: [this.#watch.interceptor],
    });
    this.#server = server;
    this.#register();
    socket.on('error', (error) => logger.debug('A gateway connection failed', { reason: error.message }));
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        // The library ends the session: see `endSession` for the delay.
        setImmediate(() => server.forceShutdown());
        this.#closing?.cancel();
        for (const call of this.#calls) call.connectionClosed();
        this.#oneShotCalls?.close();
        resolve();
      });
    });
    if (tls === null) this.#serveHttp2(socket);
    else tls.secure(socket, (secured) => this.#serveHttp2(secured));
  }

  /**
   * Closes the connection after `idleTimeoutMs` without a call, or `handshakeTimeoutMs` before the
   * first.
   */
  check(): void {
    const { clock, options } = this.#settings;
    const allowedMs = this.#hadCall ? options.idleTimeoutMs : options.handshakeTimeoutMs;
    if (this.#idleSinceMs !== null && clock.monotonicMs() - this.#idleSinceMs >= allowedMs) this.destroy();
  }

  /** Refuses new calls and closes after the last one. */
  drain(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    // Before the first call, the HTTP/2 session may not exist yet.
    if (this.#hadCall) setImmediate(() => this.#server.tryShutdown(() => {}));
    else this.destroy();
  }

  closeSoon(): void {
    this.drain();
    // Closes the connection even if the peer neither reads nor closes.
    const { scheduler, options } = this.#settings;
    this.#closing ??= scheduler.after(options.handshakeTimeoutMs, () => this.destroy());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /**
   * TLS is terminated before the library, which would give node:http2 the socket without the gate.
   */
  #serveHttp2(socket: Socket): void {
    const { ServerCredentials: credentials } = this.#settings.grpc;
    // GOAWAY needs no action: the gateway closes the connection, or `check` finds it idle.
    const gate = new HeaderBlockGate(socket, 'client', () => undefined);
    this.#server.createConnectionInjector(credentials.createInsecure()).injectConnection(gate);
  }

  #register(): void {
    const { calls, served } = this.#settings;
    const { processStream, controlStream, processEvent } = served;
    this.#serve(processStream.path, readerOf(processStream), (call) => calls.processStream(call));
    this.#serve(controlStream.path, skipMessage, (call) => calls.controlStream(call));
    this.#serve(processEvent.path, readerOf(processEvent), (call) => {
      this.#oneShotCalls ??= calls.oneShotCalls();
      this.#oneShotCalls.accept(call);
      return true;
    });
  }

  /**
   * Also serves unary calls as streams: the wire format is the same, and their memory can be
   * bounded.
   */
  #serve<Message>(
    path: string,
    deserialize: (octets: Buffer) => IncomingMessage<Message>,
    take: (call: GrpcCall<Message>) => boolean,
  ): void {
    const handle = (call: LibraryCall<Message>): void => this.#accept(call, take);
    this.#server.register(path, handle, unchanged, deserialize, 'bidi');
  }

  #accept<Message>(libraryCall: LibraryCall<Message>, take: (call: GrpcCall<Message>) => boolean): void {
    const { clock, grpc, logger } = this.#settings;
    this.#hadCall = true;
    const octets = this.#watch.of(libraryCall.metadata);
    if (octets === null) {
      logger.error('A call is refused', {
        reason: 'this version of @grpc/grpc-js does not expose the memory of a call',
      });
      this.destroy();
      return;
    }
    const call = new GrpcCall(libraryCall, octets, this, () => new grpc.Metadata());
    this.#calls.add(call);
    this.#idleSinceMs = null;
    libraryCall.once('close', () => {
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#idleSinceMs = clock.monotonicMs();
    });
    if (this.#isClosing) call.fail(grpcStatus.unavailable, 'the connection is closing');
    else if (!take(call)) call.fail(grpcStatus.resourceExhausted, 'too many calls are open');
  }
}
