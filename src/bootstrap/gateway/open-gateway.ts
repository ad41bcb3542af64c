import { availableParallelism } from 'node:os';
import type { NodeListeningSockets } from '../../adapters/outbound/node-listening-sockets/node-listening-sockets.js';
import { isSharedPipe, type LogOutput } from '../../adapters/outbound/pino-log/log-output.js';
import { OutputAuditLog } from '../../adapters/outbound/pino-log/output-audit-log.js';
import { PinoAccessLog } from '../../adapters/outbound/pino-log/pino-access-log.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/prepared-reload.js';
import type { CommandLineOverrides } from '../../application/gateway/workers/supervise/worker-topics.js';
import type { ConfigurationSource, LoadedConfiguration } from '../../application/ports/gateway/configuration-source.js';
import type { TargetName } from '../../application/ports/gateway/gateway-state.js';
import type { Clock } from '../../application/ports/shared/clock.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { LogConfiguration } from '../../domain/configuration/log-configuration.js';
import { workerCount, workerCountWarning } from '../../domain/gateway/supervision/worker-count.js';
import { err, type Result } from '../../domain/shared/result.js';
import { configurationFile } from '../shared/configuration-file.js';
import { withOverrides } from './command-line-overrides.js';
import type { ServingGateway } from './serving-gateway.js';

/** Options to open a gateway, with one process or several. */
export interface GatewayOpening {
  /** As given on the command line. */
  readonly configFile: string;
  readonly overrides: CommandLineOverrides;
  readonly log: LogConfiguration;
  readonly output: LogOutput;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly sockets: NodeListeningSockets;
  /** Targets drained by the predecessor. */
  readonly drainedTargets: readonly TargetName[];
  /** Called before the first worker process starts, with a function that kills all workers. */
  begins(kill: () => void): void;
}

const standardOutput = 1;

/**
 * A source that first returns the loaded configuration, and warns if a reload changes the number of
 * workers, which it cannot apply.
 */
const ofOneProcess = (first: LoadedConfiguration, source: ConfigurationSource, cores: number, logger: Logger) => {
  let next: LoadedConfiguration | null = first;
  return {
    load: async () => {
      const loaded = next ?? (await source.load());
      next = null;
      const warning = loaded.configuration && workerCountWarning(1, loaded.configuration.system.workerThreads, cores);
      if (warning !== null) logger.warn(warning);
      return loaded;
    },
  };
};

/**
 * Reads the configuration and starts the gateway in this process or in workers. Loads only the
 * modules that it needs.
 */
export const openGateway = async (opening: GatewayOpening): Promise<Result<ServingGateway, LoadFailure>> => {
  const { configFile, log, output, logger, clock, sockets, drainedTargets, overrides } = opening;
  const source = withOverrides(configurationFile(configFile), overrides);
  const first = await source.load();
  if (first.configuration === null) return err({ problems: first.problems, reason: null, cause: null });
  const cores = availableParallelism();
  const workers = workerCount(first.configuration.system.workerThreads, cores);
  if (workers > 1) {
    output.share(isSharedPipe(standardOutput));
    const { superviseGateway } = await import('./supervise-gateway.js');
    const start = { configFile, overrides, log, source, first, workers, cores, sockets, logger, drainedTargets };
    return superviseGateway({
      ...start,
      auditOutput: () => new OutputAuditLog(output),
      begins: (kill) => opening.begins(kill),
    });
  }
  const { singleGateway } = await import('./single-gateway.js');
  const logs = {
    logger,
    accessLog: new PinoAccessLog(log.level, output, () => clock.wallMs()),
    droppedAccessLines: () => output.droppedAccessLines(),
    auditOutput: () => new OutputAuditLog(output),
  };
  return singleGateway({
    configFile,
    source: ofOneProcess(first, source, cores, logger),
    logs,
    sockets,
    drainedTargets,
  });
};
