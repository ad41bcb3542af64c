import type * as Grpc from '@grpc/grpc-js';
import type { GrpcAddress } from '../../../domain/configuration/network-addresses.js';
import type { AgentTls } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { GrpcAgentToProxy, GrpcProxyControl, GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';

/** How the messages of one call are written and read. Reading throws for octets that are no such message. */
export interface CalledMethod<Request, Response> {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly requestSerialize: (message: Request) => Buffer;
  readonly responseDeserialize: (octets: Buffer) => Response;
}

/**
 * The service of proto/agent-service-v2.proto, as far as who calls it needs to know. Nothing is sent on ControlStream.
 */
export interface CalledAgentService {
  readonly ProcessStream: CalledMethod<GrpcProxyToAgent, GrpcAgentToProxy>;
  readonly ControlStream: CalledMethod<never, GrpcProxyControl>;
}

/** What is used of @grpc/grpc-js. */
export type GrpcLibrary = Pick<typeof Grpc, 'ChannelCredentials' | 'Client' | 'connectivityState' | 'credentials'>;

/** The library, and what the protocol's file has become. INVARIANT: it is that of `CalledAgentService`. */
export interface LoadedAgentGrpc {
  readonly grpc: GrpcLibrary;
  readonly service: Readonly<Record<string, CalledMethod<never, unknown>>>;
}

/** Where an agent is, and how the gateway introduces itself. */
export interface GrpcConnectorSettings {
  readonly address: GrpcAddress;
  /** User name or user id that may own a unix socket, beside the gateway's own user and root. */
  readonly owner: string | null;
  /** Null: plaintext. */
  readonly tls: AgentTls | null;
  readonly proxyId: string;
  readonly proxyVersion: string;
}

/** What has a value that fits most. Times in milliseconds, sizes in octets. */
export interface GrpcConnectorOptions {
  /** From the attempt to connect to the answer to the handshake; also how long a closed connection may take to end. */
  readonly handshakeTimeoutMs: number;
  /** Between two pings. An agent that sends nothing at all from one to the next is taken for dead. */
  readonly pingIntervalMs: number;
  /** Output that waits on a connection, from which on it gets no new call. */
  readonly busyOutputBytes: number;
  /** Of one message that is sent. */
  readonly maxMessageBytes: number;
}

/** Most octets of a message, both ways. */
export const maximumReceivedMessageBytes = 16_777_216;

export const defaultGrpcConnectorOptions: GrpcConnectorOptions = {
  handshakeTimeoutMs: 5_000,
  pingIntervalMs: 5_000,
  busyOutputBytes: 1_048_576,
  maxMessageBytes: maximumReceivedMessageBytes,
};
