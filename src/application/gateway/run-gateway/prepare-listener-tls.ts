import type { CertificateFiles } from '../../../domain/configuration/network-addresses.js';
import type {
  ListenerConfiguration,
  TlsConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import type { HttpEngine, TlsCertificate, TlsContext, TlsMaterial } from '../../ports/gateway/http-engine.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';

/** The TLS contexts of listeners, made from the current files. */
export interface PreparedListenerTls {
  /** By listener name. Listeners with plain HTTP are absent. */
  readonly contexts: ReadonlyMap<string, TlsContext>;
  /** Warnings, such as an expired certificate. Each names its listener. */
  readonly warnings: readonly string[];
}

/** The engine that will serve, and the reader of files. */
export interface ListenerTlsReaders {
  readonly engine: Pick<HttpEngine, 'prepareTls'>;
  readonly files: TextFileReader;
}

/** A result with all errors, so that an operator can fix them at once. */
type Checked<Value> = Result<Value, readonly string[]>;

/**
 * Reads the certificates, keys and authorities of every `https` listener, and lets the engine prepare them. Returns all
 * errors. Each names the listener, the configuration key and its file; none contains key material.
 */
export const prepareListenerTls = async (
  listeners: readonly ListenerConfiguration[],
  readers: ListenerTlsReaders,
): Promise<Checked<PreparedListenerTls>> => {
  const contexts = new Map<string, TlsContext>();
  const warnings: string[] = [];
  const errors: string[] = [];
  for (const { name, tls, http2 } of listeners) {
    if (tls === null) continue;
    const prepared = await prepareOne(tls, http2, readers);
    const named = (text: string): string => `listener "${name}": ${text}`;
    if (prepared.ok) {
      contexts.set(name, prepared.value);
      warnings.push(...prepared.value.warnings.map(named));
    } else {
      errors.push(...prepared.error.map(named));
    }
  }
  return errors.length > 0 ? err(errors) : ok({ contexts, warnings });
};

const prepareOne = async (
  tls: TlsConfiguration,
  http2: boolean,
  { engine, files }: ListenerTlsReaders,
): Promise<Checked<TlsContext>> => {
  const errors: string[] = [];
  const read = async (key: string, path: string): Promise<string> => {
    const text = await files.read(path);
    if (!text.ok) errors.push(`${key}: the file ${path} ${text.error}`);
    return text.ok ? text.value : '';
  };
  const certificates: TlsCertificate[] = [];
  for (const { certFile, keyFile } of tls.certificates) {
    const chain = await read('cert-file', certFile);
    certificates.push({ chain, privateKey: new Secret(await read('key-file', keyFile)) });
  }
  const clientAuthorities = tls.caCertFile === null ? null : await read('ca-cert-file', tls.caCertFile);
  if (errors.length > 0) return err(errors);
  const material: TlsMaterial = {
    certificates,
    clientAuth: tls.clientAuth,
    clientAuthorities,
    minVersion: tls.minVersion,
    http2,
  };
  const context = engine.prepareTls(material);
  return context.ok ? context : err(located(context.error, material, tls, engine));
};

/** Finds the file with the error: the engine does not know files, so each pair is tried alone. */
const located = (
  error: string,
  material: TlsMaterial,
  { certificates, caCertFile }: TlsConfiguration,
  engine: ListenerTlsReaders['engine'],
): readonly string[] => {
  const errors = material.certificates.flatMap((certificate, index) => {
    const { certFile, keyFile } = certificates[index] as CertificateFiles;
    const alone = engine.prepareTls({
      ...material,
      certificates: [certificate],
      clientAuth: 'none',
      clientAuthorities: null,
    });
    return alone.ok ? [] : [`cert-file ${certFile} with key-file ${keyFile}: ${alone.error}`];
  });
  if (errors.length > 0) return errors;
  return [caCertFile === null ? `tls: ${error}` : `ca-cert-file ${caCertFile}: ${error}`];
};
