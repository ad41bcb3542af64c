import { once } from 'node:events';
import type { Http2SecureServer, Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { AgentService } from '../../../application/ports/agent-service.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Logger } from '../../../application/ports/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/scheduler.js';
import { GatewaySessions } from '../../../application/serve-gateways/gateway-sessions.js';
import { HeldOctets } from '../../../application/serve-gateways/held-octets.js';
import type { GrpcAddress } from '../../../domain/configuration/gateway-configuration.js';
import {
  type LoadedMethod,
  type ServedAgentService,
  servedAgentService,
} from '../../wire/agent-grpc/agent-service-definition.js';
import { AgentGrpcError } from './agent-grpc-error.js';
import { type BindSocketPath, bindAddress } from './bind-address.js';
import { ControlStream } from './control-stream.js';
import { type GrpcCalls, GrpcConnection } from './grpc-connection.js';
import { defaultGrpcServerOptions, type GrpcServerOptions } from './grpc-server-options.js';
import { type GrpcServerTls, http2Server } from './http2-server.js';
import { OneShotCalls } from './one-shot-calls.js';
import { ProcessStream } from './process-stream.js';

export type { GrpcServerTls } from './http2-server.js';

/** Between two looks at what does not come to its end. */
const checkMs = 1_000;

export interface AgentGrpcSettings {
  readonly address: GrpcAddress;
  /** Null: plaintext. */
  readonly tls: GrpcServerTls | null;
}

export interface AgentGrpcParts {
  /** Gives the service of proto/agent-service-v2.proto; asked when the server begins to listen. */
  readonly loadGrpc: () => Promise<{ readonly service: Readonly<Record<string, LoadedMethod>> }>;
  readonly bindSocketPath: BindSocketPath;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * Serves an AgentService over gRPC: agent protocol v2, ProcessStream, ControlStream and ProcessEvent. The little that gRPC
 * adds to HTTP/2 is done here, on Node's own engine, so that what callers make the agent hold is known and bounded.
 */
export class AgentGrpcServer {
  readonly #settings: AgentGrpcSettings;
  readonly #service: AgentService;
  readonly #parts: AgentGrpcParts;
  readonly #options: GrpcServerOptions;
  readonly #sessions: GatewaySessions;
  readonly #held: HeldOctets;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<GrpcConnection>();
  readonly #processStreams = new Set<ProcessStream>();
  readonly #controlStreams = new Set<ControlStream>();
  #server: Http2Server | Http2SecureServer | null = null;
  #tasks: readonly ScheduledTask[] = [];
  #isDraining = false;
  #isFull = false;

  constructor(
    settings: AgentGrpcSettings,
    service: AgentService,
    parts: AgentGrpcParts,
    options: Partial<GrpcServerOptions> = {},
  ) {
    this.#settings = settings;
    this.#service = service;
    this.#parts = parts;
    this.#options = { ...defaultGrpcServerOptions, ...options };
    this.#sessions = new GatewaySessions(service, parts, this.#options);
    this.#held = new HeldOctets(this.#options.maxHeldBytes);
  }

  /** Gateways that are connected by ProcessStream. */
  get connections(): number {
    return this.#sessions.size;
  }

  /** Resolves with where it listens, as a gateway is told it. Rejects with an AgentGrpcError, or as the binding of a socket does. */
  async listen(): Promise<string> {
    const { address, tls } = this.#settings;
    const { loadGrpc, bindSocketPath, scheduler, logger } = this.#parts;
    const { service } = await loadGrpc();
    const served = servedAgentService(service);
    if (served === null) throw new AgentGrpcError('failed', 'the definition of the gRPC service cannot be used');
    const server = http2Server(tls, this.#options);
    this.#handle(server, this.#calls(served));
    const bound = await bindAddress(server, address, bindSocketPath);
    server.on('error', (error) => logger.error('The gRPC server failed', { reason: error.message }));
    this.#server = server;
    this.#sessions.start();
    const { handshakeTimeoutMs, messageTimeoutMs, pingIntervalMs, idleTimeoutMs } = this.#options;
    const intervalMs = Math.min(checkMs, handshakeTimeoutMs, messageTimeoutMs, pingIntervalMs, idleTimeoutMs);
    this.#tasks = [scheduler.every(intervalMs, () => this.#check())];
    logger.info('The agent listens', {
      grpc: bound,
      tls: tls !== null,
      client_certificates: tls !== null && tls.clientCaPem !== null,
    });
    return bound;
  }

  /**
   * Takes no new connection and no new call, tells the gateways, and ends each call once nothing is in flight on it; what
   * is left after the grace is cut off. Resolves when every connection is closed.
   */
  async drain(graceMs: number): Promise<void> {
    const server = this.#server;
    if (server === null || this.#isDraining) return;
    this.#isDraining = true;
    const closed = once(server, 'close');
    server.close();
    for (const control of this.#controlStreams) control.drain(graceMs, this.#parts.clock.wallMs());
    this.#sessions.drain();
    for (const connection of this.#connections) connection.drain();
    this.#endWithLastSession();
    const grace = this.#parts.scheduler.after(graceMs, () => this.#cutOff());
    await closed;
    grace.cancel();
    this.#sessions.stop();
    for (const task of this.#tasks) task.cancel();
  }

  #handle(server: Http2Server | Http2SecureServer, calls: GrpcCalls): void {
    const { clock, logger } = this.#parts;
    server.maxConnections = this.#options.maxConnections;
    server.on('drop', () => this.#onDrop());
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#isFull = false;
      });
    });
    server.on('tlsClientError', (error: Error) => {
      logger.debug('A TLS handshake failed', { reason: error.message });
    });
    server.on('session', (session: ServerHttp2Session) => {
      const connection = new GrpcConnection(session, { calls, clock, logger, options: this.#options });
      this.#connections.add(connection);
      session.once('close', () => this.#connections.delete(connection));
      if (this.#isDraining) connection.drain();
    });
  }

  #calls({ processStream, controlStream, processEvent }: ServedAgentService): GrpcCalls {
    const { clock, scheduler, logger } = this.#parts;
    const service = this.#service;
    const options = this.#options;
    const capabilities = () => service.capabilities();
    const sessionParts = { method: processStream, clock, scheduler, logger, options, capabilities };
    const oneShotParts = { method: processEvent, service, clock, scheduler, logger, options, held: this.#held };
    const takeProcessStream = (stream: ServerHttp2Stream): boolean => {
      if (this.#processStreams.size >= options.maxSessions) return false;
      const process = new ProcessStream(stream, this.#sessions, sessionParts);
      this.#processStreams.add(process);
      stream.once('close', () => {
        this.#processStreams.delete(process);
        if (this.#isDraining) this.#endWithLastSession();
      });
      return true;
    };
    const takeControlStream = (stream: ServerHttp2Stream): boolean => {
      if (this.#controlStreams.size >= options.maxSessions) return false;
      const control = new ControlStream(stream, controlStream);
      this.#controlStreams.add(control);
      stream.once('close', () => this.#controlStreams.delete(control));
      return true;
    };
    return {
      streams: new Map([
        [processStream.path, takeProcessStream],
        [controlStream.path, takeControlStream],
      ]),
      oneShotPath: processEvent.path,
      oneShotCalls: () => new OneShotCalls(oneShotParts),
    };
  }

  #onDrop(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#parts.logger.warn('Connections are turned away', { limit: this.#options.maxConnections });
  }

  #check(): void {
    for (const stream of this.#processStreams) stream.checkMessage();
    for (const connection of this.#connections) connection.check();
  }

  /** Whoever listens for the end of the service is told of it once nobody is served any more. */
  #endWithLastSession(): void {
    if (this.#processStreams.size === 0) this.#shutdown('graceful');
  }

  #shutdown(reason: 'graceful' | 'immediate'): void {
    for (const control of this.#controlStreams) control.shutdown(reason, this.#parts.clock.wallMs());
  }

  /** The grace is over. */
  #cutOff(): void {
    this.#shutdown('immediate');
    this.#sessions.cutOff('the agent has ended');
    // What was just said leaves first, if the gateway reads it.
    this.#parts.scheduler.after(this.#options.drainLingerMs, () => {
      for (const connection of this.#connections) connection.destroy();
      for (const socket of this.#sockets) socket.destroy();
    });
  }
}
