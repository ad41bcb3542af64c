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
import { type IncomingMessage, type LibraryCall, passOver, readerOf } from './incoming-message.js';
import { OctetWatch } from './octet-watch.js';
import type { OneShotCalls } from './one-shot-calls.js';

/** The calls that a server takes. False where there are too many already. */
export interface GrpcCalls {
  processStream(call: GrpcCall<GrpcGatewayMessage>): boolean;
  controlStream(call: GrpcCall<null>): boolean;
  /** For the calls of ProcessEvent of one connection. */
  oneShotCalls(): OneShotCalls;
}

export interface GrpcConnectionParts {
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

const asItIs = (octets: Buffer): Buffer => octets;

/**
 * One connection of a gateway. The library serves each by a server of its own, so that calls are known by their
 * connection.
 */
export class GatewayGrpcConnection implements CallConnection {
  /** Resolves when it has ended, and with it every call. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #parts: GrpcConnectionParts;
  readonly #server: Server;
  readonly #watch: OctetWatch;
  readonly #calls = new Set<GrpcCall<unknown>>();
  #closing: ScheduledTask | null = null;
  #oneShotCalls: OneShotCalls | null = null;
  #hadCall = false;
  #isClosing = false;
  /** When the last call ended, or the connection began; null while there is a call. */
  #idleSinceMs: number | null;

  constructor(socket: Socket, parts: GrpcConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    const { grpc, tls, clock, logger, options } = parts;
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
        // Its library ends the session, as with `tryShutdown`: see `endSession` for why not now.
        setImmediate(() => server.forceShutdown());
        this.#closing?.cancel();
        for (const call of this.#calls) call.connectionClosed();
        this.#oneShotCalls?.close();
        resolve();
      });
    });
    if (tls === null) this.#speak(socket);
    else tls.secure(socket, (secured) => this.#speak(secured));
  }

  /** Closes it where nobody uses it. */
  check(): void {
    const { clock, options } = this.#parts;
    const allowedMs = this.#hadCall ? options.idleTimeoutMs : options.handshakeTimeoutMs;
    if (this.#idleSinceMs !== null && clock.monotonicMs() - this.#idleSinceMs >= allowedMs) this.destroy();
  }

  /** Takes no new call, and ends with the last one. */
  drain(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    // Before the first call it may not have come to the point where it could be told.
    if (this.#hadCall) setImmediate(() => this.#server.tryShutdown(() => {}));
    else this.destroy();
  }

  closeSoon(): void {
    this.drain();
    // A peer that neither reads nor closes must not keep it.
    const { scheduler, options } = this.#parts;
    this.#closing ??= scheduler.after(options.handshakeTimeoutMs, () => this.destroy());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** The library has nothing to do with TLS, as it would give node:http2 the socket itself. */
  #speak(socket: Socket): void {
    const { ServerCredentials: credentials } = this.#parts.grpc;
    // A gateway that opens no more calls ends the connection itself, or is found idle.
    const gate = new HeaderBlockGate(socket, 'client', () => undefined);
    this.#server.createConnectionInjector(credentials.createInsecure()).injectConnection(gate);
  }

  #register(): void {
    const { calls, served } = this.#parts;
    const { processStream, controlStream, processEvent } = served;
    this.#serve(processStream.path, readerOf(processStream), (call) => calls.processStream(call));
    this.#serve(controlStream.path, passOver, (call) => calls.controlStream(call));
    this.#serve(processEvent.path, readerOf(processEvent), (call) => {
      this.#oneShotCalls ??= calls.oneShotCalls();
      this.#oneShotCalls.accept(call);
      return true;
    });
  }

  /** A call of one message is served as a stream, too: the wire is the same, and what it waits for can be bounded. */
  #serve<Message>(
    path: string,
    deserialize: (octets: Buffer) => IncomingMessage<Message>,
    take: (call: GrpcCall<Message>) => boolean,
  ): void {
    const handle = (call: LibraryCall<Message>): void => this.#accept(call, take);
    this.#server.register(path, handle, asItIs, deserialize, 'bidi');
  }

  #accept<Message>(libraryCall: LibraryCall<Message>, take: (call: GrpcCall<Message>) => boolean): void {
    const { clock, grpc, logger } = this.#parts;
    this.#hadCall = true;
    const octets = this.#watch.of(libraryCall.metadata);
    if (octets === null) {
      logger.error('A call is refused', { reason: 'what it holds cannot be known with this version of the library' });
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
    if (this.#isClosing) call.fail(grpcStatus.unavailable, 'the connection is about to end');
    else if (!take(call)) call.fail(grpcStatus.resourceExhausted, 'too many calls are open');
  }
}
