import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { NodeWorkerProcesses } from '../../adapters/outbound/node-workers/node-worker-processes.js';
import type { GatewayAudit } from '../../application/gateway/audit/audit-trail.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/load-failure.js';
import type { SupervisedService } from '../../application/gateway/workers/supervise/supervised-service.js';
import {
  type SupervisionTimes,
  supervisionTimes,
} from '../../application/gateway/workers/supervise/supervision-times.js';
import { Supervisor } from '../../application/gateway/workers/supervise/supervisor.js';
import type { WorkerFailure } from '../../application/gateway/workers/supervise/worker-places.js';
import type { ConfigurationSource, LoadedConfiguration } from '../../application/ports/gateway/configuration-source.js';
import type { TargetName } from '../../application/ports/gateway/gateway-state.js';
import type { SharedSockets } from '../../application/ports/gateway/shared-sockets.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { LogConfiguration } from '../../domain/configuration/log-configuration.js';
import { ok, type Result } from '../../domain/shared/result.js';
import type { CommandLineOverrides } from './command-line-overrides.js';
import type { RunningGateway } from './start-gateway.js';

/** What a gateway of several processes is started with. */
export interface SupervisedStart {
  /** As it was given on the command line. */
  readonly configFile: string;
  readonly instead: CommandLineOverrides;
  readonly log: LogConfiguration;
  /** Reads the file again at a reload. */
  readonly source: ConfigurationSource;
  /** What the source gave at the start. */
  readonly first: LoadedConfiguration;
  /** How many workers; see `workerCount`. */
  readonly workers: number;
  /** What `worker-threads` 0 stands for. */
  readonly cores: number;
  readonly sockets: SharedSockets;
  readonly logger: Logger;
  readonly audit: GatewayAudit;
  readonly services: readonly SupervisedService[];
  drainedTargets(): readonly TargetName[];
  reloaded(outcome: 'success' | 'failure'): void;
  logFailure(failure: WorkerFailure): void;
  /** Told before the first process is started how all are ended at once. */
  begins?(kill: () => void): void;
  /** What a worker runs; absent: the one beside this program. */
  readonly program?: URL;
  readonly times?: Partial<SupervisionTimes>;
}

/** A supervisor whose workers serve. */
export interface RunningSupervisor extends RunningGateway {
  readonly supervisor: Supervisor;
}

/** Far more than a timer takes would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/** Starts the workers of a gateway, and keeps them. Resolves when all serve. */
export const startSupervised = async (start: SupervisedStart): Promise<Result<RunningSupervisor, LoadFailure>> => {
  const clock = new SystemClock();
  const program = start.program ?? new URL('./main-gateway-worker.js', import.meta.url);
  const { configFile, instead, log } = start;
  const processes = new NodeWorkerProcesses(program);
  const supervisor = new Supervisor({
    ...start,
    processes,
    clock,
    scheduler: new NodeScheduler(),
    times: { ...supervisionTimes, ...start.times },
    order: { configFile, instead, log, startedAtMs: clock.wallMs() },
    drainedTargets: () => start.drainedTargets(),
    reloaded: (outcome) => start.reloaded(outcome),
    logFailure: (failure) => start.logFailure(failure),
  });
  const kill = (): void => {
    supervisor.kill();
    processes.killAll();
  };
  start.begins?.(kill);
  const started = await supervisor.start(start.first);
  if (!started.ok) return started;
  // While no worker has a process there is nothing else that keeps this one.
  const alive = setInterval(() => undefined, longestDelayMs);
  return ok({
    supervisor,
    addresses: started.value,
    addressesNow: () => supervisor.addresses(),
    reload: () => supervisor.reload(),
    unservedMs: () => supervisor.unservedMs(),
    kill,
    drainedTargets: () => start.drainedTargets(),
    stop: async (graceMs, isReplaced = false) => {
      const { gracefulShutdownTimeoutMs, shutdownDelayMs } = supervisor.configuration().system;
      const delayMs = isReplaced || graceMs !== undefined ? 0 : shutdownDelayMs;
      await supervisor.stop(graceMs ?? gracefulShutdownTimeoutMs, { delayMs, isReplaced });
      clearInterval(alive);
    },
  });
};
