import type { CertificateFiles } from '../../../domain/configuration/network-addresses.js';
import type { AgentConfiguration, AgentTls } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { Secret } from '../../../domain/shared/secret.js';
import type { HttpEngine } from '../../ports/gateway/http-engine.js';
import type { CertificateReader } from '../../ports/shared/certificate-reader.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';

/** The readers that the check uses. The engine checks whether a certificate and a key match. */
interface AgentTlsReaders {
  readonly engine: Pick<HttpEngine, 'prepareTls'>;
  readonly files: TextFileReader;
  readonly certificates: Pick<CertificateReader, 'readPem'>;
}

/** Errors and warnings about the TLS files for agents. Each text names its agent; none contains key material. */
export interface AgentTlsFindings {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Checks whether the current files of certificates, keys and authorities for gRPC agents are usable. */
export const checkAgentTls = async (
  agents: readonly AgentConfiguration[],
  readers: AgentTlsReaders,
): Promise<AgentTlsFindings> => {
  const errors: string[] = [];
  const warnings: string[] = [];
  for (const { name, transport } of agents) {
    if (transport.kind !== 'grpc' || transport.tls === null) continue;
    const found = await checkOne(transport.tls, readers);
    errors.push(...found.errors.map((text) => `agent "${name}": ${text}`));
    warnings.push(...found.warnings.map((text) => `agent "${name}": ${text}`));
  }
  return { errors, warnings };
};

const checkOne = async ({ caCertFile, certificate }: AgentTls, readers: AgentTlsReaders): Promise<AgentTlsFindings> => {
  const authorities = caCertFile === null ? [] : await checkAuthorities(caCertFile, readers);
  const pair = certificate === null ? { errors: [], warnings: [] } : await checkCertificate(certificate, readers);
  return { errors: [...authorities, ...pair.errors], warnings: pair.warnings };
};

const checkAuthorities = async (path: string, { files, certificates }: AgentTlsReaders): Promise<readonly string[]> => {
  const text = await files.read(path);
  if (!text.ok) return [`ca-cert-file: the file ${path} ${text.error}`];
  const read = certificates.readPem(text.value);
  return read.ok ? [] : [`ca-cert-file: the file ${path} ${read.error}`];
};

const checkCertificate = async (
  { certFile, keyFile }: CertificateFiles,
  { engine, files }: AgentTlsReaders,
): Promise<AgentTlsFindings> => {
  const [chain, key] = [await files.read(certFile), await files.read(keyFile)];
  const errors: string[] = [];
  if (!chain.ok) errors.push(`cert-file: the file ${certFile} ${chain.error}`);
  if (!key.ok) errors.push(`key-file: the file ${keyFile} ${key.error}`);
  if (!chain.ok || !key.ok) return { errors, warnings: [] };
  const prepared = engine.prepareTls({
    certificates: [{ chain: chain.value, privateKey: new Secret(key.value) }],
    clientAuth: 'none',
    clientAuthorities: null,
    minVersion: '1.2',
    http2: false,
  });
  if (prepared.ok) return { errors: [], warnings: prepared.value.warnings };
  return { errors: [`cert-file ${certFile} with key-file ${keyFile}: ${prepared.error}`], warnings: [] };
};
