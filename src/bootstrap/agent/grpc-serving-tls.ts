import type { TextFileReader } from '../../application/ports/shared/text-file-reader.js';
import type { GrpcServingOptions } from '../../domain/agent/configuration/agent-configuration.js';
import { err, ok, type Result } from '../../domain/shared/result.js';

/** The certificate, key and client CAs of the gRPC server, as PEM. */
export interface GrpcServingTls {
  readonly certPem: string;
  readonly keyPem: string;
  /** Null: gateways need no certificate. */
  readonly clientCaPem: string | null;
}

/** The paths of these PEM files. */
export type GrpcTlsFiles = NonNullable<GrpcServingOptions['tls']>;

/** Reads the PEM files of the gRPC server. The error names the unreadable file. */
export const readGrpcServingTls = async (
  tls: GrpcTlsFiles,
  files: TextFileReader,
): Promise<Result<GrpcServingTls, string>> => {
  const { certFile, keyFile } = tls.certificate;
  const texts: string[] = [];
  for (const path of [certFile, keyFile, tls.clientCaFile]) {
    if (path === null) continue;
    const text = await files.read(path);
    if (!text.ok) return err(`${path}: ${text.error}`);
    texts.push(text.value);
  }
  const [certPem = '', keyPem = '', clientCaPem = null] = texts;
  return ok({ certPem, keyPem, clientCaPem });
};
