import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ServerCredentials } from '@grpc/grpc-js';
import { AgentGrpcError } from './agent-grpc-error.js';
import type { GrpcLibrary } from './grpc-library.js';

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

/** Null: plaintext. Throws an AgentGrpcError where certificate and key are no pair, or the authorities none. */
export const serverCredentials = (
  { ServerCredentials: credentials }: GrpcLibrary,
  tls: GrpcServerTls | null,
): ServerCredentials => {
  if (tls === null) return credentials.createInsecure();
  const { certPem, keyPem, clientCaPem } = tls;
  try {
    // The library would find out when the first gateway connects.
    createSecureContext({ cert: certPem, key: keyPem });
    // It takes an empty text for none.
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
  return credentials.createSsl(
    clientCaPem === null ? null : Buffer.from(clientCaPem),
    [{ cert_chain: Buffer.from(certPem), private_key: Buffer.from(keyPem) }],
    clientCaPem !== null,
  );
};
