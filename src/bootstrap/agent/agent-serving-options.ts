import type { GrpcServingOptions } from '../../domain/agent/configuration/agent-configuration.js';
import type { AgentOptions } from '../../domain/agent/configuration/agent-options-schema.js';
import { checkServedPlaces, grpcServing } from '../../domain/agent/configuration/serving-option-rules.js';
import type { SocketAddress } from '../../domain/configuration/network-addresses.js';
import { grpcAddress } from '../../domain/configuration/schema/grpc-address.js';
import { socketAddress } from '../../domain/configuration/schema/network-kinds.js';
import type { ScalarKind } from '../../domain/configuration/schema/scalar-kind.js';

/** TLS of the gRPC address; paths of PEM files. */
export interface AgentGrpcTls {
  readonly certFile: string;
  readonly keyFile: string;
  /** The CAs of gateways. With it, gateways must present a certificate. */
  readonly clientCaFile?: string;
}

/** Where an agent of the kit listens. */
export interface AgentServingOptions {
  /**
   * Path of a Unix socket. Default: the variable AGENT_SOCKET, or `/tmp/<name>.sock` if nothing
   * else is served.
   */
  readonly socket?: string;
  /** Default: the variable GRPC_ADDRESS. */
  readonly grpc?: {
    /** `host:port` or `unix:/path`. */
    readonly address: string;
    readonly tls?: AgentGrpcTls;
    /** Allows plaintext on an address that other hosts can reach. */
    readonly insecure?: boolean;
  };
  /** `host:port` for `/metrics`. Default: the variable METRICS_ADDRESS. */
  readonly metricsAddress?: string;
}

/** An invalid option of `serveAgent`. The message names the option and says what to write. */
export class AgentOptionsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AgentOptionsError';
  }
}

const parseOption = <Value>(kind: ScalarKind<Value>, name: string, value: string): Value => {
  const read = kind.read({ value, position: null, hidden: false });
  if (read.ok) return read.value;
  const { message, suggestion } = read.error;
  throw new AgentOptionsError(
    `${name} ${message}${suggestion === undefined || suggestion === null ? '' : `: ${suggestion}`}`,
  );
};

const grpcOptions = (grpc: NonNullable<AgentServingOptions['grpc']>): AgentOptions => ({
  grpcAddress: parseOption(grpcAddress(0), 'grpc.address', grpc.address),
  ...(grpc.tls && { grpcTlsCertFile: grpc.tls.certFile, grpcTlsKeyFile: grpc.tls.keyFile }),
  ...(grpc.tls?.clientCaFile !== undefined && { grpcClientCaFile: grpc.tls.clientCaFile }),
  ...(grpc.insecure !== undefined && { grpcInsecure: grpc.insecure }),
});

/** The names of `gateway-auth` options in the agent kit. */
const kitNames: Readonly<Record<string, string>> = {
  'grpc-address': 'grpc.address',
  'grpc-insecure': 'grpc.insecure',
  'grpc-tls-cert-file': 'grpc.tls.certFile',
  'grpc-tls-key-file': 'grpc.tls.keyFile',
  'grpc-client-ca-file': 'grpc.tls.clientCaFile',
  'metrics-address': 'metricsAddress',
};

const kitText = (message: string): string =>
  Object.entries(kitNames).reduce((text, [option, name]) => text.replaceAll(option, name), message);

/** The addresses to serve, after variables and defaults. Null: not served. */
export interface ResolvedAddresses {
  readonly socket: string | null;
  readonly grpc: GrpcServingOptions | null;
  readonly metrics: SocketAddress | null;
}

/** Options take precedence over variables, and variables over defaults. Throws an AgentOptionsError. */
export const resolveAddresses = (
  name: string,
  options: AgentServingOptions,
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedAddresses => {
  const grpcVariable = environment['GRPC_ADDRESS'];
  const grpc = options.grpc ?? (grpcVariable === undefined ? undefined : { address: grpcVariable });
  const metrics = options.metricsAddress ?? environment['METRICS_ADDRESS'];
  const socket = options.socket ?? environment['AGENT_SOCKET'] ?? (grpc === undefined ? `/tmp/${name}.sock` : null);
  const given: AgentOptions = {
    socket: socket ?? '',
    ...(grpc && grpcOptions(grpc)),
    ...(metrics !== undefined && { metricsAddress: parseOption(socketAddress(0), 'metricsAddress', metrics) }),
  };
  const refuse = (option: string, message: string): never => {
    throw new AgentOptionsError(`${kitNames[option] ?? option}: ${kitText(message)}`);
  };
  if (socket === '') refuse('socket', 'it is empty');
  const serving = grpcServing(given, refuse);
  checkServedPlaces(given, refuse);
  return { socket, grpc: serving, metrics: given.metricsAddress ?? null };
};
