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
import { AgentGrpcConnection, type GrpcLineListener } from './agent-grpc-connection.js';
import { GrpcAgentConnection, type LineOpener } from './grpc-agent-connection.js';
import {
  type CalledAgentService,
  defaultGrpcConnectorOptions,
  type GrpcConnectorOptions,
  type GrpcConnectorSettings,
  type GrpcLibrary,
  type LoadedAgentGrpc,
  maximumReceivedMessageBytes,
} from './grpc-client-options.js';
import { SocketGate } from './socket-gate.js';
import { checkUnixSocket } from './unix-socket-trust.js';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/** What the library uses of a socket is what every Duplex has; only its types ask for more. */
const gated = (socket: Socket, gate: SocketGate): Socket =>
  new HeaderBlockGate(socket, 'server', (code) => gate.noteGoaway(code)) as Duplex as Socket;

/**
 * Credentials of a channel whose sockets all pass `gate`. The class is exported by @grpc/grpc-js 1.14.7, but its
 * members are meant for the library itself: package.json names that version exactly, and a test fails where they are
 * not called.
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

/**
 * What Node may hold for the streams of one connection, in millions of octets: its own limit, which the library lifts.
 */
const maximumSessionMegabytes = 10;

/** Small beside the output from which on a connection is busy. */
const readyBytes = 65_536;

/**
 * Of the channel of one connection: it is that connection's own, and nothing is tried twice behind the gateway's back.
 */
export const channelOptions: ChannelOptions = {
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  // A message counts as written when it has left, but for so much that is made ready while the one before it leaves.
  'grpc.per_rpc_retry_buffer_size': readyBytes,
  // Nobody but the configuration says how an agent is called.
  'grpc.service_config_disable_resolution': 1,
  'grpc.max_receive_message_length': maximumReceivedMessageBytes,
  'grpc-node.max_session_memory': maximumSessionMegabytes,
};

/** An address as a channel takes it (gRPC's name syntax). */
export const targetOf = (address: GrpcAddress): string => {
  // Two slashes at the beginning would make a host of the first folder.
  if (address.kind === 'unix') return `unix:${address.path.replace(/^\/+/, '/')}`;
  return `dns:${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
};

/** Reads the files of a `tls` block anew, so that a certificate that was replaced counts with the next connection. */
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
    // What went wrong may quote the file, and one of them is a key.
    return err(
      `the TLS files ${paths.filter((path) => path !== null).join(', ')} hold no certificates, or no key for them`,
    );
  }
};

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

  async #openLine(listener: GrpcLineListener): Promise<Result<AgentGrpcConnection, ConnectionEnd>> {
    const trust = await this.#trust();
    if (!trust.ok) return err({ kind: 'refused', detail: trust.error });
    try {
      const { grpc, service } = await this.#parts.loadGrpc();
      const { ProcessStream, ControlStream } = service;
      if (ProcessStream === undefined || ControlStream === undefined) throw new Error('the service is another one');
      const gate = new SocketGate(trust.value);
      const client = new grpc.Client(targetOf(this.#settings.address), gatedCredentials(grpc, gate), channelOptions);
      const plan = { grpc, service: { ProcessStream, ControlStream } as CalledAgentService, client, gate };
      return ok(new AgentGrpcConnection(plan, this.#options, this.#parts.scheduler, listener));
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
