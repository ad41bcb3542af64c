import type {
  AgentConnection,
  AgentConnectionListener,
  AgentConnector,
  ConnectionEnd,
  ConnectorCheck,
} from '../../../application/ports/agent-connector.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Scheduler } from '../../../application/ports/scheduler.js';
import type { TextFileReader } from '../../../application/ports/text-file-reader.js';
import type { GrpcAddress } from '../../../domain/configuration/gateway-configuration.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { dialAgent, type SocketTrust } from './dial-agent.js';
import { GrpcAgentConnection, type LineOpener } from './grpc-agent-connection.js';
import {
  type CalledAgentService,
  defaultGrpcConnectorOptions,
  type GrpcConnectorOptions,
  type GrpcConnectorSettings,
  type LoadedAgentGrpc,
} from './grpc-client-options.js';
import { GrpcLine, type GrpcLineListener } from './grpc-line.js';
import { readTlsContext } from './tls-context.js';
import { checkUnixSocket } from './unix-socket-trust.js';

export interface GrpcConnectorParts {
  /** Gives the service of proto/agent-service-v2.proto; asked for with each connection. */
  readonly loadGrpc: () => Promise<LoadedAgentGrpc>;
  readonly files: TextFileReader;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

const authorityOf = (address: GrpcAddress): string => {
  if (address.kind === 'unix') return 'localhost';
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
};

/** Reaches an agent over gRPC (agent protocol v2): by TCP, with TLS or without, or by a unix socket whose owner is trusted. */
export class GrpcAgentConnector implements AgentConnector {
  readonly #settings: GrpcConnectorSettings;
  readonly #parts: GrpcConnectorParts;
  readonly #options: GrpcConnectorOptions;

  constructor(settings: GrpcConnectorSettings, parts: GrpcConnectorParts, options: Partial<GrpcConnectorOptions> = {}) {
    this.#settings = settings;
    this.#parts = parts;
    this.#options = { ...defaultGrpcConnectorOptions, ...options };
  }

  check(): Promise<ConnectorCheck> {
    const { address, owner } = this.#settings;
    return address.kind === 'unix' ? checkUnixSocket(address.path, owner) : Promise.resolve({ kind: 'ready' });
  }

  connect(config: JsonObject | null, listener: AgentConnectionListener): AgentConnection {
    const { clock, scheduler } = this.#parts;
    const open: LineOpener = (lineListener, signal) => this.#openLine(lineListener, signal);
    return new GrpcAgentConnection(this.#settings, this.#options, config, clock, scheduler, open, listener);
  }

  async #openLine(listener: GrpcLineListener, signal: AbortSignal): Promise<Result<GrpcLine, ConnectionEnd>> {
    const { address } = this.#settings;
    const trust = await this.#trust();
    if (!trust.ok) return err({ kind: 'refused', detail: trust.error });
    const service = await this.#service();
    if (!service.ok) return service;
    const socket = await dialAgent(address, trust.value, signal);
    if (!socket.ok) return socket;
    const plan = { socket: socket.value, isSecure: trust.value.kind === 'tls', authority: authorityOf(address) };
    return ok(new GrpcLine(service.value, plan, this.#options, this.#parts.scheduler, listener));
  }

  async #service(): Promise<Result<CalledAgentService, ConnectionEnd>> {
    try {
      const { ProcessStream, ControlStream } = (await this.#parts.loadGrpc()).service;
      if (ProcessStream === undefined || ControlStream === undefined) throw new Error('it is another service');
      return ok({ ProcessStream, ControlStream } as CalledAgentService);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      return err({ kind: 'ended', detail: `the protocol's file cannot be loaded: ${reason}` });
    }
  }

  async #trust(): Promise<Result<SocketTrust, string>> {
    const { address, owner, tls } = this.#settings;
    if (address.kind === 'unix') return ok({ kind: 'owner', path: address.path, owner });
    if (tls === null) return ok({ kind: 'none' });
    const context = await readTlsContext(tls, this.#parts.files);
    return context.ok ? ok({ kind: 'tls', context: context.value, name: tls.serverName ?? address.host }) : context;
  }
}
