import type { TextFileReader } from '../../application/ports/shared/text-file-reader.js';
import type { GrpcServingOptions } from '../../domain/agent/configuration/agent-configuration.js';
import { err, ok, type Result } from '../../domain/shared/result.js';

/** PEM texts that gRPC is served with. */
export interface GrpcServingTls {
  readonly certPem: string;
  readonly keyPem: string;
  /** Null: gateways show no certificate. */
  readonly clientCaPem: string | null;
}

/** The files that these are in. */
export type GrpcTlsFiles = NonNullable<GrpcServingOptions['tls']>;

/** Reads what gRPC is served with. The error names the file that cannot be read. */
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
