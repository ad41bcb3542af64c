import { KdlConfigurationSource } from '../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import type { AccessRecord } from '../../../src/application/ports/gateway/access-log.js';
import { gatewayContainer, type RunningGateway, startGateway } from '../../../src/bootstrap/gateway/start-gateway.js';
import { formatProblem } from '../../../src/domain/configuration/configuration-problem.js';
import type { CleanUp } from '../shared/clean-up.js';
import { freePort } from '../shared/free-port.js';
import { call, type HttpAnswer, type HttpCall } from '../shared/http-call.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { temporaryFolder } from '../shared/temporary-folder.js';
import { RecordingAuditLog } from './recording-audit-log.js';

/** A documented configuration at work, on ports of this run. */
export interface DocumentedGateway {
  readonly gateway: RunningGateway;
  readonly logger: RecordingLogger;
  readonly accessRecords: readonly AccessRecord[];
  /** The port that stands for one of the documentation's. */
  portOf(documented: number): number;
  /** A request to a documented port. */
  ask(documentedPort: number, options?: HttpCall): Promise<HttpAnswer>;
  /** Writes another configuration in the place of the first, for the next reload. */
  rewrite(text: string): void;
}

export interface DocumentedRun {
  /**
   * Ports of upstreams that run, by the documented ones. Every other port of 127.0.0.1 in the text becomes a free
   * one.
   */
  readonly ports?: Readonly<Record<number, number>>;
  /** Texts of the documentation with what stands for them here, as paths of sockets. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

const localAddress = /127\.0\.0\.1:(\d+)/g;

/** Runs the text of an example with the production modules; `cleanUp` ends it. Fails where it does not start. */
export const startDocumented = async (
  cleanUp: CleanUp,
  text: string,
  { ports = {}, texts = {}, environment = {} }: DocumentedRun = {},
): Promise<DocumentedGateway> => {
  const used = new Map(Object.entries(ports).map(([documented, port]) => [Number(documented), port]));
  for (const [, documented] of text.matchAll(localAddress)) {
    if (!used.has(Number(documented))) used.set(Number(documented), await freePort());
  }
  const portOf = (documented: number): number => {
    const port = used.get(documented);
    if (port === undefined) throw new Error(`the example has no port ${documented}`);
    return port;
  };
  const localised = (configuration: string): string => {
    let result = configuration.replace(localAddress, (_, port: string) => `127.0.0.1:${portOf(Number(port))}`);
    for (const [documented, local] of Object.entries(texts)) {
      if (!configuration.includes(documented)) throw new Error(`the example does not hold ${documented}`);
      result = result.replaceAll(documented, local);
    }
    return result;
  };

  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const file = folder.write('gateway.kdl', localised(text));
  const logger = new RecordingLogger();
  const accessRecords: AccessRecord[] = [];
  const source = new KdlConfigurationSource(file, { environment, patterns: re2PathPatterns });
  const container = gatewayContainer(file, source, {
    logger,
    accessLog: { isOn: true, write: (record) => void accessRecords.push(record) },
    droppedAccessLines: () => 0,
    auditOutput: () => new RecordingAuditLog(),
  });
  const started = await startGateway(container);
  if (!started.ok) {
    const { problems, reason } = started.error;
    throw new Error([reason ?? 'the example was refused', ...problems.map(formatProblem)].join('\n'));
  }
  cleanUp.add(() => started.value.stop(0));
  return {
    gateway: started.value,
    logger,
    accessRecords,
    portOf,
    ask: (documented, options) => call(portOf(documented), options),
    rewrite: (changed) => {
      folder.write('gateway.kdl', localised(changed));
    },
  };
};
