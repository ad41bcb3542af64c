import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { ChannelCredentials, ChannelOptions } from '@grpc/grpc-js';
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
import type { GrpcAddress } from '../../../domain/configuration/network-addresses.js';
import type { AgentTls } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { HeaderBlockGate } from '../../http2-sockets/header-block-gate.js';
import type { SocketTrust } from './admit-socket.js';
import { AgentStreams, type AgentStreamsListener } from './agent-streams.js';
import { GrpcAgentConnection, type StreamsOpener } from './grpc-agent-connection.js';
import {
  type CalledAgentService,
  defaultGrpcConnectorOptions,
  type GrpcConnectorConfiguration,
  type GrpcConnectorOptions,
  type GrpcLibrary,
  type LoadedAgentGrpc,
  maxReceivedMessageBytes,
} from './grpc-client-options.js';
import { SocketGate } from './socket-gate.js';
import { checkUnixSocket } from './unix-socket-trust.js';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** The library only uses members that every Duplex has; its types require a Socket. */
const gated = (socket: Socket, gate: SocketGate): Socket =>
  new HeaderBlockGate(socket, 'server', (code) => gate.noteGoaway(code)) as Duplex as Socket;

/**
 * Credentials of a channel whose sockets all pass `gate`. @grpc/grpc-js 1.14.7 exports the class,
 * but its members are internal. package.json pins the version, and a test fails if they are not
 * called.
 */
export const gatedCredentials = ({ ChannelCredentials, credentials }: GrpcLibrary, gate: SocketGate) => {
  class GatedCredentials extends ChannelCredentials {
    override _isSecure(): boolean {
      return gate.isSecure;
    }

    override _equals(other: ChannelCredentials): boolean {
      return this === other;
    }

    override _createSecureConnector(): SecureConnector {
      return {
        connect: async (socket: Socket) => ({ socket: gated(await gate.admit(socket), gate), secure: gate.isSecure }),
        waitForReady: () => Promise.resolve(),
        getCallCredentials: () => credentials.createEmpty(),
        destroy: () => {},
      };
    }
  }
  return new GatedCredentials();
};

/** Memory limit of one HTTP/2 session in megabytes: Node's default, which the library raises. */
const maxSessionMegabytes = 10;

/** Small compared with `busyOutputBytes`. */
const retryBufferBytes = 65_536;

/**
 * Options of a channel for one connection: it shares no subchannel and never retries on its own.
 */
export const channelOptions: ChannelOptions = {
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  // A write completes when the message is sent, except for this buffer.
  'grpc.per_rpc_retry_buffer_size': retryBufferBytes,
  // Only the configuration defines how an agent is called.
  'grpc.service_config_disable_resolution': 1,
  'grpc.max_receive_message_length': maxReceivedMessageBytes,
  'grpc-node.max_session_memory': maxSessionMegabytes,
};

/** An address in gRPC name syntax. */
export const targetOf = (address: GrpcAddress): string => {
  // After two leading slashes gRPC would read a host.
  if (address.kind === 'unix') return `unix:${address.path.replace(/^\/+/, '/')}`;
  return `dns:${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
};

/** Reads the files of a `tls` block, so that the next connection uses renewed certificates. */
const readTlsContext = async (tls: AgentTls, files: TextFileReader): Promise<Result<SecureContext, string>> => {
  const texts: string[] = [];
  const { caCertFile, certificate } = tls;
  const paths = [caCertFile, certificate?.certFile ?? null, certificate?.keyFile ?? null];
  for (const path of paths) {
    if (path === null) {
      texts.push('');
      continue;
    }
    const text = await files.read(path);
    if (!text.ok) return err(`the TLS file ${path} ${text.error}`);
    texts.push(text.value);
  }
  const [ca, cert, key] = texts as [string, string, string];
  try {
    const own = certificate === null ? {} : { cert, key };
    return ok(createSecureContext({ minVersion: 'TLSv1.2', ...(caCertFile === null ? {} : { ca }), ...own }));
  } catch {
    // The error may quote the key file.
    return err(
      `the TLS files ${paths.filter((path) => path !== null).join(', ')} contain no certificate or no matching key`,
    );
  }
};

export interface GrpcConnectorPorts {
  /**
   * Loads @grpc/grpc-js and the service of proto/agent-service-v2.proto. Called for each
   * connection.
   */
  readonly loadGrpc: () => Promise<LoadedAgentGrpc>;
  readonly files: TextFileReader;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
}

/**
 * Connects to an agent over gRPC (agent protocol v2): by TCP with or without TLS, or by a Unix
 * socket with a trusted owner.
 */
export class GrpcAgentConnector implements AgentConnector {
  readonly #settings: GrpcConnectorConfiguration;
  readonly #ports: GrpcConnectorPorts;
  readonly #options: GrpcConnectorOptions;

  constructor(
    settings: GrpcConnectorConfiguration,
    ports: GrpcConnectorPorts,
    options: Partial<GrpcConnectorOptions> = {},
  ) {
    this.#settings = settings;
    this.#ports = ports;
    this.#options = { ...defaultGrpcConnectorOptions, ...options };
  }

  check(): Promise<ConnectorCheck> {
    const { address, owner } = this.#settings;
    return address.kind === 'unix' ? checkUnixSocket(address.path, owner) : Promise.resolve({ kind: 'ready' });
  }

  connect(config: JsonObject | null, listener: AgentConnectionListener): AgentConnection {
    const { clock, scheduler } = this.#ports;
    const open: StreamsOpener = (streamsListener) => this.#openStreams(streamsListener);
    return new GrpcAgentConnection(this.#settings, this.#options, config, clock, scheduler, open, listener);
  }

  async #openStreams(listener: AgentStreamsListener): Promise<Result<AgentStreams, ConnectionEnd>> {
    const trust = await this.#trust();
    if (!trust.ok) return err({ kind: 'refused', detail: trust.error });
    try {
      const { grpc, service } = await this.#ports.loadGrpc();
      const { ProcessStream, ControlStream } = service;
      if (ProcessStream === undefined || ControlStream === undefined)
        throw new Error('the service definition is incomplete');
      const gate = new SocketGate(trust.value);
      const client = new grpc.Client(targetOf(this.#settings.address), gatedCredentials(grpc, gate), channelOptions);
      const channel = { grpc, service: { ProcessStream, ControlStream } as CalledAgentService, client, gate };
      return ok(new AgentStreams(channel, this.#options, this.#ports.scheduler, listener));
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      return err({ kind: 'ended', detail: `gRPC is unavailable: ${reason}` });
    }
  }

  async #trust(): Promise<Result<SocketTrust, string>> {
    const { address, owner, tls } = this.#settings;
    if (address.kind === 'unix') return ok({ kind: 'owner', path: address.path, owner });
    if (tls === null) return ok({ kind: 'none' });
    const context = await readTlsContext(tls, this.#ports.files);
    return context.ok ? ok({ kind: 'tls', context: context.value, name: tls.serverName ?? address.host }) : context;
  }
}
