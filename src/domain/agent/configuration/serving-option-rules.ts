import { grpcAddressText, isLocalGrpcAddress } from '../../configuration/schema/grpc-address.js';
import { socketAddressText } from '../../configuration/schema/network-kinds.js';
import { agentDefaults, type GrpcServingOptions } from './agent-configuration.js';
import type { AgentOptionName, AgentOptions } from './agent-options-schema.js';
import type { OptionReport } from './option-report.js';

const certificateFiles = (options: AgentOptions, error: OptionReport): GrpcServingOptions['tls'] => {
  const { grpcTlsCertFile: certFile, grpcTlsKeyFile: keyFile, grpcClientCaFile: clientCaFile } = options;
  if (certFile !== undefined && keyFile !== undefined) {
    return { certificate: { certFile, keyFile }, clientCaFile: clientCaFile ?? null };
  }
  if (certFile !== undefined) error('grpc-tls-cert-file', 'it needs grpc-tls-key-file');
  else if (keyFile !== undefined) error('grpc-tls-key-file', 'it needs grpc-tls-cert-file');
  else if (clientCaFile !== undefined) {
    error('grpc-client-ca-file', 'it needs grpc-tls-cert-file and grpc-tls-key-file');
  }
  return null;
};

/** Whether any TLS option is set, complete or not. */
const namesTls = ({ grpcTlsCertFile, grpcTlsKeyFile, grpcClientCaFile }: AgentOptions): boolean =>
  [grpcTlsCertFile, grpcTlsKeyFile, grpcClientCaFile].some((file) => file !== undefined);

const refuseWithoutAddress = (options: AgentOptions, error: OptionReport): void => {
  const idle: readonly (readonly [AgentOptionName, unknown])[] = [
    ['grpc-tls-cert-file', options.grpcTlsCertFile],
    ['grpc-tls-key-file', options.grpcTlsKeyFile],
    ['grpc-client-ca-file', options.grpcClientCaFile],
    ['grpc-insecure', options.grpcInsecure === true ? true : undefined],
  ];
  for (const [option, value] of idle) {
    if (value !== undefined) error(option, 'it has no effect without grpc-address');
  }
};

/**
 * The gRPC serving options; null: gRPC is not served. An address that others can reach requires TLS, unless it is
 * explicitly waived.
 */
export const grpcServing = (options: AgentOptions, error: OptionReport): GrpcServingOptions | null => {
  const { grpcAddress: address, grpcInsecure: isInsecure = false } = options;
  if (address === undefined) {
    refuseWithoutAddress(options, error);
    return null;
  }
  if (namesTls(options)) {
    if (isInsecure) error('grpc-insecure', 'it contradicts grpc-tls-cert-file');
    if (address.kind === 'unix') error('grpc-address', 'a unix socket is served without TLS');
  } else if (!isLocalGrpcAddress(address) && !isInsecure) {
    error(
      'grpc-address',
      'it is not a loopback address: it needs grpc-tls-cert-file and grpc-tls-key-file, or grpc-insecure',
    );
  }
  return { address, tls: certificateFiles(options, error) };
};

/** Servers need distinct addresses. Port 0 is a different port each time. */
export const checkServedPlaces = (options: AgentOptions, error: OptionReport): void => {
  const { socket = agentDefaults.socket, grpcAddress: grpc, metricsAddress: metrics } = options;
  if (grpc?.kind === 'unix' && grpc.path === socket) {
    error('grpc-address', 'socket has the same path; use a separate socket');
  }
  if (grpc?.kind !== 'tcp' || metrics === undefined || grpc.port === 0) return;
  if (grpcAddressText(grpc).toLowerCase() === socketAddressText(metrics).toLowerCase()) {
    error('metrics-address', 'grpc-address is the same');
  }
};
