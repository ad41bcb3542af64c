import type { AgentConfiguration, AgentTls } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { CertificateExpiry, CertificateUse } from '../../../domain/gateway/status/certificate-expiry.js';
import { type CertificateDates, earliestExpiries } from '../../../domain/shared/certificate-dates.js';
import type { TlsContext } from '../../ports/gateway/http-engine.js';
import type { ScheduledTask, Scheduler } from '../../ports/shared/scheduler.js';
import type { TextFileReader } from '../../ports/shared/text-file-reader.js';
import type { CurrentTlsContext } from '../choose-upstream/endpoint-set.js';
import { rereadMs } from './prepare-upstream-tls.js';

export interface AgentCertificateReaders {
  readonly files: TextFileReader;
  /** The certificates of a PEM text; empty if one of them is unreadable, or there is none. */
  readonly readDates: (pem: string) => readonly CertificateDates[];
}

/** Maximum certificates of one listener, upstream or agent; of more, the first ones to expire are reported. */
export const maxCertificatesPerName = 256;

/** The certificate and the authorities of one gRPC agent. A connection to the agent reads the files itself. */
class AgentCertificates {
  readonly #paths: readonly string[];
  readonly #read = new Map<string, { readonly text: string; readonly dates: readonly CertificateDates[] }>();

  constructor({ caCertFile, certificate }: AgentTls) {
    this.#paths = [caCertFile, certificate?.certFile ?? null].filter((path) => path !== null);
  }

  /** Reads the files. A file without a readable certificate keeps its previous ones. */
  async read({ files, readDates }: AgentCertificateReaders): Promise<void> {
    for (const path of this.#paths) {
      const text = await files.read(path);
      if (!text.ok || text.value === this.#read.get(path)?.text) continue;
      const dates = readDates(text.value);
      if (dates.length > 0) this.#read.set(path, { text: text.value, dates });
    }
  }

  dates(): readonly CertificateDates[] {
    return [...this.#read.values()].flatMap(({ dates }) => dates);
  }
}

/** The certificates of gRPC agents, by agent. While watched, their files are read every five seconds. */
export class AgentCertificateFiles {
  readonly #agents: ReadonlyMap<string, AgentCertificates>;
  readonly #readers: AgentCertificateReaders;
  #task: ScheduledTask | null = null;
  #isReading = false;

  constructor(configurations: readonly AgentConfiguration[], readers: AgentCertificateReaders) {
    const agents = new Map<string, AgentCertificates>();
    for (const { name, transport } of configurations) {
      if (transport.kind === 'grpc' && transport.tls !== null) agents.set(name, new AgentCertificates(transport.tls));
    }
    this.#agents = agents;
    this.#readers = readers;
  }

  async read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (const agent of this.#agents.values()) await agent.read(this.#readers);
    } finally {
      this.#isReading = false;
    }
  }

  watch(scheduler: Scheduler): void {
    if (this.#agents.size > 0) this.#task ??= scheduler.every(rereadMs, () => void this.read());
  }

  stopWatching(): void {
    this.#task?.cancel();
    this.#task = null;
  }

  *dates(): Iterable<readonly [agent: string, dates: readonly CertificateDates[]]> {
    for (const [name, agent] of this.#agents) yield [name, agent.dates()];
  }
}

interface CertificateSources {
  /** By listener name. */
  readonly listeners: ReadonlyMap<string, TlsContext>;
  /** By upstream name. */
  readonly upstreams: ReadonlyMap<string, CurrentTlsContext>;
  readonly agents: AgentCertificateFiles;
}

/** The certificates that one configuration uses. */
export class CertificatesInUse {
  readonly #sources: CertificateSources;

  constructor(sources: CertificateSources) {
    this.#sources = sources;
  }

  watch(scheduler: Scheduler): void {
    this.#sources.agents.watch(scheduler);
  }

  stopWatching(): void {
    this.#sources.agents.stopWatching();
  }

  /** One entry per use, name and subject. */
  expiries(): readonly CertificateExpiry[] {
    const found: CertificateExpiry[] = [];
    const add = (use: CertificateUse, name: string, dates: readonly CertificateDates[]): void => {
      found.push(...earliestExpiries(dates, maxCertificatesPerName).map((each) => ({ use, name, ...each })));
    };
    const { listeners, upstreams, agents } = this.#sources;
    for (const [name, { certificates }] of listeners) add('listener', name, certificates);
    for (const [name, { current }] of upstreams) add('upstream', name, current.certificates);
    for (const [name, dates] of agents.dates()) add('agent', name, dates);
    return found;
  }
}
