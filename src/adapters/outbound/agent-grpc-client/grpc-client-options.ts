import type * as Grpc from '@grpc/grpc-js';
import type { GrpcAddress } from '../../../domain/configuration/network-addresses.js';
import type { AgentTls } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { GrpcAgentToProxy, GrpcProxyControl, GrpcProxyToAgent } from '../../wire/agent-grpc/grpc-messages.js';

/** Serialization of one method. `responseDeserialize` throws for malformed octets. */
export interface CalledMethod<Request, Response> {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly requestSerialize: (message: Request) => Buffer;
  readonly responseDeserialize: (octets: Buffer) => Response;
}

/**
 * The client side of the service in proto/agent-service-v2.proto. Nothing is sent on ControlStream.
 */
export interface CalledAgentService {
  readonly ProcessStream: CalledMethod<GrpcProxyToAgent, GrpcAgentToProxy>;
  readonly ControlStream: CalledMethod<never, GrpcProxyControl>;
}

/** The members of @grpc/grpc-js in use. */
export type GrpcLibrary = Pick<typeof Grpc, 'ChannelCredentials' | 'Client' | 'connectivityState' | 'credentials'>;

/** The library and the loaded service definition. INVARIANT: it matches `CalledAgentService`. */
export interface LoadedAgentGrpc {
  readonly grpc: GrpcLibrary;
  readonly service: Readonly<Record<string, CalledMethod<never, unknown>>>;
}

/** Address of an agent, and the gateway's identity in the handshake. */
export interface GrpcConnectorConfiguration {
  readonly address: GrpcAddress;
  /** User name or id that may own a Unix socket, besides the gateway's user and root. */
  readonly owner: string | null;
  /** Null: plaintext. */
  readonly tls: AgentTls | null;
  readonly proxyId: string;
  readonly proxyVersion: string;
}

/** Options with defaults. Times in milliseconds, sizes in octets. */
export interface GrpcConnectorOptions {
  /** Time from the connection attempt to the handshake answer; also the time to close. */
  readonly handshakeTimeoutMs: number;
  /** Interval between pings. If nothing arrives in one interval, the connection ends. */
  readonly pingIntervalMs: number;
  /** Pending output above which a connection gets no new calls. */
  readonly busyOutputBytes: number;
  /** Maximum octets of a sent message. */
  readonly maxMessageBytes: number;
}

/** Maximum octets of a received message. */
export const maxReceivedMessageBytes = 16_777_216;

export const defaultGrpcConnectorOptions: GrpcConnectorOptions = {
  handshakeTimeoutMs: 5_000,
  pingIntervalMs: 5_000,
  busyOutputBytes: 1_048_576,
  maxMessageBytes: maxReceivedMessageBytes,
};
