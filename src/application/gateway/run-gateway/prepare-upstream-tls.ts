import type {
  UpstreamConfiguration,
  UpstreamTlsConfiguration,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { Secret } from '../../../domain/shared/secret.js';
import type { UpstreamTlsContext, UpstreamTlsMaterial, UpstreamTlsPreparer } from '../../ports/gateway/upstream-tls.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import type { CurrentTlsContext } from '../choose-upstream/endpoint-set.js';

export interface UpstreamTlsReaders {
  readonly prepare: UpstreamTlsPreparer;
  readonly files: TextFileReader;
}

export interface CheckedUpstreamTls {
  /** By upstream name. Upstreams without TLS are absent. */
  readonly files: ReadonlyMap<string, UpstreamTlsFiles>;
  /** Warnings, such as an expired certificate. Each names its upstream. */
  readonly warnings: readonly string[];
}

/**
 * Reads and checks the TLS files of all upstreams. Returns all errors. Each names the upstream, the key and its file;
 * none contains key material.
 */
export const prepareUpstreamTls = async (
  upstreams: readonly UpstreamConfiguration[],
  readers: UpstreamTlsReaders,
): Promise<Result<CheckedUpstreamTls, readonly string[]>> => {
  const files = new Map<string, UpstreamTlsFiles>();
  const warnings: string[] = [];
  const errors: string[] = [];
  for (const { name, tls } of upstreams) {
    if (tls === null) continue;
    const named = (text: string): string => `upstream "${name}": ${text}`;
    const texts = await readTexts(tls, readers.files);
    const prepared = texts.ok ? prepareTexts(tls, texts.value, readers.prepare) : texts;
    if (!prepared.ok || !texts.ok) {
      if (!prepared.ok) errors.push(...prepared.error.map(named));
      continue;
    }
    warnings.push(...prepared.value.warnings.map(named));
    files.set(name, new UpstreamTlsFiles(name, tls, { readers, texts: texts.value, context: prepared.value }));
  }
  return errors.length > 0 ? err(errors) : ok({ files, warnings });
};

/** The texts of the files; null: not configured. */
interface TlsTexts {
  readonly authorities: string | null;
  readonly chain: string | null;
  readonly privateKey: Secret | null;
}

const readTexts = async (
  { caCertFile, certificate }: UpstreamTlsConfiguration,
  files: TextFileReader,
): Promise<Result<TlsTexts, readonly string[]>> => {
  const errors: string[] = [];
  const read = async (key: string, path: string): Promise<string> => {
    const text = await files.read(path);
    if (!text.ok) errors.push(`${key}: the file ${path} ${text.error}`);
    return text.ok ? text.value : '';
  };
  const authorities = caCertFile === null ? null : await read('ca-cert', caCertFile);
  const chain = certificate === null ? null : await read('client-cert', certificate.certFile);
  const key = certificate === null ? null : new Secret(await read('client-key', certificate.keyFile));
  return errors.length > 0 ? err(errors) : ok({ authorities, chain, privateKey: key });
};

const prepareTexts = (
  tls: UpstreamTlsConfiguration,
  { authorities, chain, privateKey }: TlsTexts,
  prepare: UpstreamTlsPreparer,
): Result<UpstreamTlsContext, readonly string[]> => {
  const { minVersion, verifies, caCertFile, certificate } = tls;
  const material: UpstreamTlsMaterial = {
    authorities,
    certificate: chain === null || privateKey === null ? null : { chain, privateKey },
    minVersion,
    verifies,
  };
  const prepared = prepare(material);
  if (prepared.ok) return prepared;
  if (certificate === null) return err([`${caCertFile === null ? 'tls' : `ca-cert ${caCertFile}`}: ${prepared.error}`]);
  // The preparer does not know files, so the authorities are tried alone.
  const alone = prepare({ ...material, certificate: null });
  if (!alone.ok) return err([`ca-cert ${caCertFile ?? ''}: ${alone.error}`]);
  return err([`client-cert ${certificate.certFile} with client-key ${certificate.keyFile}: ${prepared.error}`]);
};

/** Interval at which the files are read again, in milliseconds. */
export const rereadMs = 5_000;

const isSame = (one: TlsTexts, other: TlsTexts): boolean =>
  one.authorities === other.authorities &&
  one.chain === other.chain &&
  one.privateKey?.reveal() === other.privateKey?.reveal();

interface FirstRead {
  readonly readers: UpstreamTlsReaders;
  readonly texts: TlsTexts;
  readonly context: UpstreamTlsContext;
}

/**
 * The TLS files of one upstream. While watched, they are read every five seconds, and changed files make a new context.
 * Files with an error keep the context in use.
 */
export class UpstreamTlsFiles implements CurrentTlsContext {
  #current: UpstreamTlsContext;
  readonly #upstream: string;
  readonly #tls: UpstreamTlsConfiguration;
  readonly #readers: UpstreamTlsReaders;
  /** The texts of the last read that succeeded. */
  #texts: TlsTexts;
  /** The errors that were logged last. */
  #logged = '';
  #task: ScheduledTask | null = null;
  #isReading = false;

  constructor(upstream: string, tls: UpstreamTlsConfiguration, { readers, texts, context }: FirstRead) {
    this.#upstream = upstream;
    this.#tls = tls;
    this.#readers = readers;
    this.#texts = texts;
    this.#current = context;
  }

  get current(): UpstreamTlsContext {
    return this.#current;
  }

  watch(scheduler: Scheduler, logger: Logger): void {
    const { caCertFile, certificate } = this.#tls;
    if (this.#task !== null || (caCertFile === null && certificate === null)) return;
    this.#task = scheduler.every(rereadMs, () => void this.#reread(logger));
  }

  stopWatching(): void {
    this.#task?.cancel();
    this.#task = null;
  }

  async #reread(logger: Logger): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const texts = await readTexts(this.#tls, this.#readers.files);
      if (this.#task !== null) this.#use(texts, logger);
    } finally {
      this.#isReading = false;
    }
  }

  #use(texts: Result<TlsTexts, readonly string[]>, logger: Logger): void {
    if (texts.ok && isSame(texts.value, this.#texts)) return;
    const prepared = texts.ok ? prepareTexts(this.#tls, texts.value, this.#readers.prepare) : texts;
    const upstream = this.#upstream;
    if (!prepared.ok) {
      const error = prepared.error.join('; ');
      // A certificate may be replaced before its key: the next read has both.
      if (error !== this.#logged)
        logger.error('TLS files of an upstream are unusable: the old ones stay', { upstream, error });
      this.#logged = error;
      return;
    }
    if (!texts.ok) return;
    this.#texts = texts.value;
    this.#current = prepared.value;
    this.#logged = '';
    logger.info('TLS files of an upstream have changed: new connections use them', { upstream });
    for (const warning of prepared.value.warnings) logger.warn(warning, { upstream });
  }
}
