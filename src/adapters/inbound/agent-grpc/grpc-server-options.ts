import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type * as Grpc from '@grpc/grpc-js';
import {
  defaultSessionOptions,
  type SessionOptions,
} from '../../../application/agent/serve-gateways/gateway-connection.js';
import { AgentGrpcError } from './bind-address.js';

/** What is used of @grpc/grpc-js. It is handed over: a program that serves no gRPC does not load it. */
export type GrpcServerLibrary = Pick<
  typeof Grpc,
  'Metadata' | 'Server' | 'ServerCredentials' | 'ServerInterceptingCall'
>;

/** TLS of the agent's gRPC server, in PEM. */
export interface GrpcServerTls {
  /** The certificate, and those above it. */
  readonly certPem: string;
  readonly keyPem: string;
  /** The authorities that a gateway's certificate has to come from; null: none is asked for. */
  readonly clientCaPem: string | null;
}

/** How gRPC is spoken with a gateway that connects. */
export interface ServerTls {
  /**
   * Does the handshake on a connection, and gives what is spoken on; `secured` is not called where there is none, and
   * the connection ends then, or is for the caller to end.
   */
  secure(socket: Socket, secured: (socket: TLSSocket) => void): void;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

/** Throws an AgentGrpcError where certificate and key are no pair, or the authorities none. */
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
    // It would be found out when the first gateway connects.
    createServer(options);
    // Node takes an empty text for none.
    new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
  } catch (error) {
    throw new AgentGrpcError('certificate', `the certificate and key for gRPC cannot be used: ${codeOf(error)}`);
  }
  try {
    // An authority that is none would be passed over, and every gateway refused.
    if (clientCaPem !== null) new X509Certificate(clientCaPem);
  } catch (error) {
    throw new AgentGrpcError('certificate', `the client authorities for gRPC cannot be used: ${codeOf(error)}`);
  }
  return { secure: (socket, secured) => secure(options, socket, secured) };
};

/** By a server of its own, as nothing else tells which connection a handshake was that of. */
const secure = (options: TlsOptions, socket: Socket, secured: (socket: TLSSocket) => void): void => {
  const server = createServer(options, (tlsSocket) => {
    tlsSocket.on('error', () => tlsSocket.destroy());
    // Whoever does not ask for HTTP/2 speaks something else.
    if (tlsSocket.alpnProtocol === 'h2') secured(tlsSocket);
    else tlsSocket.destroy();
  });
  server.on('tlsClientError', () => socket.destroy());
  server.emit('connection', socket);
};

/** Most octets of a message, both ways. */
export const maximumMessageBytes = 16_777_216;

/** How the agent serves gRPC. Times in milliseconds, sizes in octets. */
export interface GrpcServerOptions extends SessionOptions {
  /** From the first octet of a message to its last. */
  readonly messageTimeoutMs: number;
  /** How long a caller that has sent nothing yet may wait for the metadata. */
  readonly metadataDelayMs: number;
  /** How long a connection may be without a call. One that never had any is kept for the time of a handshake. */
  readonly idleTimeoutMs: number;
  /** Between two pings of a connection; one that has not answered by the next is closed. */
  readonly pingIntervalMs: number;
  readonly maxConnections: number;
  /** Calls of one connection at a time. */
  readonly maxStreamsPerConnection: number;
  /** Calls of ProcessStream at a time, over all connections; and as many of ControlStream. */
  readonly maxSessions: number;
  /** Requests of one connection whose body is awaited by ProcessEvent; the oldest is given up for one more. */
  readonly maxOneShotDialogues: number;
  /** Output of a call that waits, from which on nothing more is read from it. */
  readonly pausingOutputBytes: number;
  /** Output of a call that waits, from which on it is ended. */
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
