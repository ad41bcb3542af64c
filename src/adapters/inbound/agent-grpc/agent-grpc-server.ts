import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { BufferedOctetCounter } from '../../../application/agent/serve-gateways/buffered-octet-counter.js';
import { GatewaySessions } from '../../../application/agent/serve-gateways/gateway-sessions.js';
import type { AgentService } from '../../../application/ports/agent/agent-service.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Logger } from '../../../application/ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { GrpcAddress } from '../../../domain/configuration/network-addresses.js';
import {
  type GrpcServiceDefinition,
  type LoadedMethod,
  servedAgentService,
} from '../../wire/agent-grpc/agent-service-definition.js';
import { AgentGrpcError, type BindSocketPath, bindAddress } from './bind-address.js';
import { ControlStream } from './control-stream.js';
import { CutOffLog } from './cut-off-log.js';
import { GatewayGrpcConnection, type GrpcCalls, type GrpcConnectionOptions } from './gateway-grpc-connection.js';
import {
  defaultGrpcServerOptions,
  type GrpcServerLibrary,
  type GrpcServerOptions,
  type GrpcServerTls,
  type ServerTls,
  serverTls,
} from './grpc-server-options.js';
import { OneShotCalls } from './one-shot-calls.js';
import { ProcessStream } from './process-stream.js';

export type { GrpcServerTls } from './grpc-server-options.js';

/** Interval between timeout checks, in milliseconds. */
const checkMs = 1_000;

export interface AgentGrpcConfiguration {
  readonly address: GrpcAddress;
  /** Null: plaintext. */
  readonly tls: GrpcServerTls | null;
}

export interface AgentGrpcPorts {
  /** Loads the gRPC library and the service of proto/agent-service-v2.proto. Called by `listen`. */
  readonly loadGrpc: () => Promise<{
    readonly grpc: GrpcServerLibrary;
    readonly service: Readonly<Record<string, LoadedMethod>>;
  }>;
  readonly bindSocketPath: BindSocketPath;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * Serves an AgentService over gRPC: agent protocol v2 with ProcessStream, ControlStream and
 * ProcessEvent. The server accepts connections itself and hands them to the library, so that memory
 * per caller is bounded.
 */
export class AgentGrpcServer {
  readonly #settings: AgentGrpcConfiguration;
  readonly #service: AgentService;
  readonly #ports: AgentGrpcPorts;
  readonly #options: GrpcServerOptions;
  readonly #sessions: GatewaySessions;
  readonly #held: BufferedOctetCounter;
  readonly #cutOffs: CutOffLog;
  readonly #connections = new Set<GatewayGrpcConnection>();
  readonly #processStreams = new Set<ProcessStream>();
  readonly #controlStreams = new Set<ControlStream>();
  #server: Server | null = null;
  #tasks: readonly ScheduledTask[] = [];
  #grpc: GrpcServerLibrary | null = null;
  /** TLS of new connections; null: plaintext. */
  #tls: ServerTls | null = null;
  #isDraining = false;
  #isFull = false;

  constructor(
    settings: AgentGrpcConfiguration,
    service: AgentService,
    ports: AgentGrpcPorts,
    options: Partial<GrpcServerOptions> = {},
  ) {
    this.#settings = settings;
    this.#service = service;
    this.#ports = ports;
    this.#options = { ...defaultGrpcServerOptions, ...options };
    this.#sessions = new GatewaySessions(service, ports, this.#options);
    this.#held = new BufferedOctetCounter(this.#options.maxHeldBytes);
    this.#cutOffs = new CutOffLog(ports.clock, ports.logger);
  }

  /** Number of open ProcessStream calls. */
  get connections(): number {
    return this.#sessions.size;
  }

  /**
   * Resolves with the address in the form that gateways use. Rejects with an AgentGrpcError, or as
   * `bindSocketPath` does.
   */
  async listen(): Promise<string> {
    const { address, tls } = this.#settings;
    const { loadGrpc, bindSocketPath, clock, scheduler, logger } = this.#ports;
    const { grpc, service } = await loadGrpc();
    const served = servedAgentService(service);
    if (served === null) throw new AgentGrpcError('failed', 'the gRPC service definition is incomplete');
    this.#tls = tls === null ? null : serverTls(tls);
    const options = this.#options;
    const calls = this.#calls(served);
    const server = this.#acceptor({ grpc, served, calls, clock, scheduler, logger, options });
    const bound = await bindAddress(server, address, bindSocketPath);
    server.on('error', (error) => logger.error('The gRPC server failed', { reason: error.message }));
    this.#server = server;
    this.#grpc = grpc;
    this.#sessions.start();
    const { handshakeTimeoutMs, messageTimeoutMs, idleTimeoutMs } = options;
    const intervalMs = Math.min(checkMs, handshakeTimeoutMs, messageTimeoutMs, idleTimeoutMs);
    this.#tasks = [scheduler.every(intervalMs, () => this.#check())];
    logger.info('The agent listens', {
      grpc: bound,
      tls: tls !== null,
      client_certificates: tls !== null && tls.clientCaPem !== null,
    });
    return bound;
  }

  /**
   * Checks a new certificate, key and client CA. Returns a function that applies them to new
   * connections; open connections keep theirs. Throws an AgentGrpcError if they are unusable.
   */
  prepareTls(tls: GrpcServerTls): () => void {
    if (this.#grpc === null || this.#settings.tls === null)
      throw new AgentGrpcError('failed', 'gRPC is served without TLS');
    const prepared = serverTls(tls);
    return () => {
      this.#tls = prepared;
    };
  }

  /**
   * Refuses new connections and calls, notifies gateways, and ends each call that has no request in
   * flight. Closes the rest after `graceMs`. Resolves when every connection is closed.
   */
  async drain(graceMs: number): Promise<void> {
    const server = this.#server;
    if (server === null || this.#isDraining) return;
    this.#isDraining = true;
    const closed = once(server, 'close');
    server.close();
    for (const control of this.#controlStreams) control.drain(graceMs, this.#ports.clock.wallMs());
    this.#sessions.drain();
    for (const connection of this.#connections) connection.drain();
    this.#endWithLastSession();
    const grace = this.#ports.scheduler.after(graceMs, () => this.#cutOff());
    await closed;
    await Promise.all(Array.from(this.#connections, (connection) => connection.closed));
    grace.cancel();
    this.#sessions.stop();
    for (const task of this.#tasks) task.cancel();
  }

  #acceptor(options: Omit<GrpcConnectionOptions, 'tls'>): Server {
    const server = createServer((socket) => {
      const connection = new GatewayGrpcConnection(socket, { ...options, tls: this.#tls });
      this.#connections.add(connection);
      socket.once('close', () => {
        this.#connections.delete(connection);
        this.#isFull = false;
      });
    });
    server.maxConnections = this.#options.maxConnections;
    server.on('drop', () => this.#onDrop());
    return server;
  }

  #calls({ processStream, controlStream, processEvent }: GrpcServiceDefinition): GrpcCalls {
    const { clock, scheduler, logger } = this.#ports;
    const service = this.#service;
    const options = this.#options;
    const held = this.#held;
    const cutOffs = this.#cutOffs;
    const { maxSessions, messageTimeoutMs } = options;
    const capabilities = () => service.capabilities();
    return {
      processStream: (call) => {
        if (this.#processStreams.size >= maxSessions) return false;
        const onClosed = (): void => {
          this.#processStreams.delete(stream);
          if (this.#isDraining) this.#endWithLastSession();
        };
        const stream = new ProcessStream(call, this.#sessions, {
          method: processStream,
          clock,
          scheduler,
          options,
          capabilities,
          onClosed,
        });
        this.#processStreams.add(stream);
        return true;
      },
      controlStream: (call) => {
        if (this.#controlStreams.size >= maxSessions) return false;
        const onClosed = (): void => {
          this.#controlStreams.delete(stream);
        };
        const stream = new ControlStream(call, { method: controlStream, held, cutOffs, messageTimeoutMs, onClosed });
        this.#controlStreams.add(stream);
        return true;
      },
      oneShotCalls: () =>
        new OneShotCalls({ method: processEvent, service, clock, scheduler, logger, options, held, cutOffs }),
    };
  }

  #onDrop(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#ports.logger.warn('Connections are refused', { limit: this.#options.maxConnections });
  }

  #check(): void {
    for (const stream of [...this.#processStreams, ...this.#controlStreams]) stream.checkMessage();
    for (const connection of this.#connections) connection.check();
    this.#cutOffs.check();
  }

  /** Sends a graceful shutdown on every ControlStream when the last ProcessStream has closed. */
  #endWithLastSession(): void {
    if (this.#processStreams.size === 0) this.#shutdown('graceful');
  }

  #shutdown(reason: 'graceful' | 'immediate'): void {
    for (const control of this.#controlStreams) control.shutdown(reason, this.#ports.clock.wallMs());
  }

  /** Closes every session and connection after the grace period. */
  #cutOff(): void {
    this.#shutdown('immediate');
    this.#sessions.cutOff('the agent has stopped');
    // Gives the last messages time to leave, if the gateway reads them.
    this.#ports.scheduler.after(this.#options.drainLingerMs, () => {
      for (const connection of this.#connections) connection.destroy();
    });
  }
}
