import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type * as Grpc from '@grpc/grpc-js';
import {
  defaultSessionOptions,
  type SessionOptions,
} from '../../../application/agent/serve-gateways/gateway-connection.js';
import { AgentGrpcError } from './bind-address.js';

/** The members of @grpc/grpc-js in use. Injected, so that programs without gRPC do not load it. */
export type GrpcServerLibrary = Pick<
  typeof Grpc,
  'Metadata' | 'Server' | 'ServerCredentials' | 'ServerInterceptingCall'
>;

/** TLS of the agent's gRPC server, in PEM. */
export interface GrpcServerTls {
  /** The certificate and its chain. */
  readonly certPem: string;
  readonly keyPem: string;
  /** CAs for client certificates; null: no client certificate is requested. */
  readonly clientCaPem: string | null;
}

/** TLS of the server side. */
export interface ServerTls {
  /**
   * Performs the TLS handshake and calls `secured` on success. On failure the connection is closed,
   * or the caller must close it.
   */
  secure(socket: Socket, secured: (socket: TLSSocket) => void): void;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

/** Throws an AgentGrpcError if certificate and key do not match or the CA is invalid. */
export const serverTls = ({ certPem, keyPem, clientCaPem }: GrpcServerTls): ServerTls => {
  const options: TlsOptions = {
    cert: certPem,
    key: keyPem,
    ALPNProtocols: ['h2'],
    requestCert: clientCaPem !== null,
    rejectUnauthorized: true,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(clientCaPem === null ? {} : { ca: clientCaPem }),
  };
  try {
    // Finds invalid PEM now, not at the first connection.
    createServer(options);
    // Node ignores an empty certificate or key.
    new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
  } catch (error) {
    throw new AgentGrpcError('certificate', `the certificate and key for gRPC are unusable: ${codeOf(error)}`);
  }
  try {
    // Node ignores an invalid CA and then refuses every gateway.
    if (clientCaPem !== null) new X509Certificate(clientCaPem);
  } catch (error) {
    throw new AgentGrpcError('certificate', `the client CA for gRPC is unusable: ${codeOf(error)}`);
  }
  return { secure: (socket, secured) => secure(options, socket, secured) };
};

/** Uses one server per connection: only so does the handshake link to the raw socket. */
const secure = (options: TlsOptions, socket: Socket, secured: (socket: TLSSocket) => void): void => {
  const server = createServer(options, (tlsSocket) => {
    tlsSocket.on('error', () => tlsSocket.destroy());
    // gRPC requires HTTP/2.
    if (tlsSocket.alpnProtocol === 'h2') secured(tlsSocket);
    else tlsSocket.destroy();
  });
  server.on('tlsClientError', () => socket.destroy());
  server.emit('connection', socket);
};

/** Maximum octets of a message, in both directions. */
export const maximumMessageBytes = 16_777_216;

/** Limits of the gRPC server. Times in milliseconds, sizes in octets. */
export interface GrpcServerOptions extends SessionOptions {
  /** From the first octet of a message to its last. */
  readonly messageTimeoutMs: number;
  /** Delay before metadata is sent to a caller that has sent nothing. */
  readonly metadataDelayMs: number;
  /**
   * Maximum time of a connection without a call. Before its first call `handshakeTimeoutMs`
   * applies.
   */
  readonly idleTimeoutMs: number;
  /**
   * Interval between pings of a connection. It is closed if a ping is unanswered at the next one.
   */
  readonly pingIntervalMs: number;
  readonly maxConnections: number;
  /** Concurrent calls per connection. */
  readonly maxStreamsPerConnection: number;
  /**
   * Concurrent ProcessStream calls over all connections; the same limit applies to ControlStream.
   */
  readonly maxSessions: number;
  /**
   * Requests of one connection that wait for a body by ProcessEvent. One more evicts the oldest.
   */
  readonly maxOneShotDialogues: number;
  /** Pending output of a call above which its messages are not read. */
  readonly pausingOutputBytes: number;
  /** Pending output of a call above which it is ended. */
  readonly maxOutputBytes: number;
}

export const defaultGrpcServerOptions: GrpcServerOptions = {
  ...defaultSessionOptions,
  messageTimeoutMs: 30_000,
  metadataDelayMs: 500,
  idleTimeoutMs: 300_000,
  pingIntervalMs: 20_000,
  maxConnections: 256,
  maxStreamsPerConnection: 128,
  maxSessions: 256,
  maxOneShotDialogues: 256,
  pausingOutputBytes: 262_144,
  maxOutputBytes: 20 * 1_048_576,
};
