import type {
  AgentConnection,
  AgentConnectionListener,
  AgentConnector,
  ConnectionEnd,
  ConnectorCheck,
} from '../../../application/ports/gateway/agent-connector.js';
import type { Clock } from '../../../application/ports/shared/clock.js';
import type { Scheduler } from '../../../application/ports/shared/scheduler.js';
import type { TextFileReader } from '../../../application/ports/shared/text-file-reader.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { SocketTrust } from './admit-socket.js';
import { channelOptions, targetOf } from './channel-options.js';
import { gatedCredentials } from './gated-credentials.js';
import { GrpcAgentConnection, type LineOpener } from './grpc-agent-connection.js';
import {
  type CalledAgentService,
  defaultGrpcConnectorOptions,
  type GrpcConnectorOptions,
  type GrpcConnectorSettings,
  type LoadedAgentGrpc,
} from './grpc-client-options.js';
import { GrpcConnection, type GrpcLineListener } from './grpc-connection.js';
import { SocketGate } from './socket-gate.js';
import { readTlsContext } from './tls-context.js';
import { checkUnixSocket } from './unix-socket-trust.js';

export interface GrpcConnectorParts {
  /** Gives @grpc/grpc-js and the service of proto/agent-service-v2.proto; asked for with each connection. */
  readonly loadGrpc: () => Promise<LoadedAgentGrpc>;
  readonly files: TextFileReader;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

/**
 * Reaches an agent over gRPC (agent protocol v2): by TCP, with TLS or without, or by a unix socket whose owner is
 * trusted.
 */
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
    const open: LineOpener = (lineListener) => this.#openLine(lineListener);
    return new GrpcAgentConnection(this.#settings, this.#options, config, clock, scheduler, open, listener);
  }

  async #openLine(listener: GrpcLineListener): Promise<Result<GrpcConnection, ConnectionEnd>> {
    const trust = await this.#trust();
    if (!trust.ok) return err({ kind: 'refused', detail: trust.error });
    try {
      const { grpc, service } = await this.#parts.loadGrpc();
      const { ProcessStream, ControlStream } = service;
      if (ProcessStream === undefined || ControlStream === undefined) throw new Error('the service is another one');
      const gate = new SocketGate(trust.value);
      const client = new grpc.Client(targetOf(this.#settings.address), gatedCredentials(grpc, gate), channelOptions);
      const plan = { grpc, service: { ProcessStream, ControlStream } as CalledAgentService, client, gate };
      return ok(new GrpcConnection(plan, this.#options, this.#parts.scheduler, listener));
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      return err({ kind: 'ended', detail: `gRPC cannot be used: ${reason}` });
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
