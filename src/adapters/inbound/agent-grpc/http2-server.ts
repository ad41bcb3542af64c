import { createSecureServer, createServer, type Http2SecureServer, type Http2Server } from 'node:http2';
import { AgentGrpcError } from './agent-grpc-error.js';
import type { GrpcServerOptions } from './grpc-server-options.js';

/** TLS of the agent's gRPC server, in PEM. */
export interface GrpcServerTls {
  /** The certificate, and those above it. */
  readonly certPem: string;
  readonly keyPem: string;
  /** The authorities that a gateway's certificate has to come from; null: none is asked for. */
  readonly clientCaPem: string | null;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

/** An HTTP/2 server that speaks nothing else. Throws an AgentGrpcError where certificate and key are no pair. */
export const http2Server = (
  tls: GrpcServerTls | null,
  { handshakeTimeoutMs, maxStreamsPerConnection }: GrpcServerOptions,
): Http2Server | Http2SecureServer => {
  const http2 = {
    settings: { maxConcurrentStreams: maxStreamsPerConnection, enablePush: false },
    unknownProtocolTimeout: handshakeTimeoutMs,
  };
  if (tls === null) return createServer(http2);
  try {
    return createSecureServer({
      ...http2,
      cert: tls.certPem,
      key: tls.keyPem,
      ...(tls.clientCaPem !== null && { ca: tls.clientCaPem, requestCert: true, rejectUnauthorized: true }),
      minVersion: 'TLSv1.2',
      handshakeTimeout: handshakeTimeoutMs,
    });
  } catch (error) {
    throw new AgentGrpcError('certificate', `the certificate and key for gRPC cannot be used: ${codeOf(error)}`);
  }
};
