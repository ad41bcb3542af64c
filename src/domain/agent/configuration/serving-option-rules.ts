import { isUnixSocket, type StreamAddress } from '../../configuration/network-addresses.js';
import {
  grpcAddressText,
  isLocalGrpcAddress,
  isLocalStreamAddress,
  streamAddressText,
} from '../../configuration/schema/grpc-address.js';
import { socketAddressText } from '../../configuration/schema/network-kinds.js';
import type { Secret } from '../../shared/secret.js';
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

/** Where the agent serves its admin endpoints. */
export interface AdminServingOptions {
  readonly address: StreamAddress;
  readonly token: Secret;
}

/** The admin endpoints; null: they are not served. They always need a token, because they show personal data. */
export const adminServing = (
  { adminAddress: address, adminToken: token }: AgentOptions,
  error: OptionReport,
  warn: OptionReport,
): AdminServingOptions | null => {
  if (address === undefined) {
    if (token !== undefined) error('admin-token', 'it has no effect without admin-address');
    return null;
  }
  if (token === undefined) {
    error('admin-address', 'it needs admin-token', 'write admin-token (env)"AGENT_ADMIN_TOKEN"');
    return null;
  }
  if (!isLocalStreamAddress(address)) {
    const message = 'the admin token and the sessions cross the network without TLS';
    warn('admin-address', message, undefined, undefined, 'agent-admin-in-the-clear');
  }
  return { address, token };
};

const checkAdminPlace = (options: AgentOptions, error: OptionReport): void => {
  const { socket = agentDefaults.socket, grpcAddress: grpc, metricsAddress: metrics, adminAddress: admin } = options;
  if (admin === undefined) return;
  const text = streamAddressText(admin).toLowerCase();
  const isSame = (option: string): void => error('admin-address', `${option} is the same; use a separate address`);
  if (isUnixSocket(admin)) {
    if (admin.path === socket) isSame('socket');
    if (grpc?.kind === 'unix' && grpc.path === admin.path) isSame('grpc-address');
  } else if (admin.port !== 0) {
    if (grpc?.kind === 'tcp' && grpcAddressText(grpc).toLowerCase() === text) isSame('grpc-address');
    if (metrics !== undefined && socketAddressText(metrics).toLowerCase() === text) isSame('metrics-address');
  }
};

/** Servers need distinct addresses. Port 0 is a different port each time. */
export const checkServedPlaces = (options: AgentOptions, error: OptionReport): void => {
  checkAdminPlace(options, error);
  const { socket = agentDefaults.socket, grpcAddress: grpc, metricsAddress: metrics } = options;
  if (grpc?.kind === 'unix' && grpc.path === socket) {
    error('grpc-address', 'socket has the same path; use a separate socket');
  }
  if (grpc?.kind !== 'tcp' || metrics === undefined || grpc.port === 0) return;
  if (grpcAddressText(grpc).toLowerCase() === socketAddressText(metrics).toLowerCase()) {
    error('metrics-address', 'grpc-address is the same');
  }
};
