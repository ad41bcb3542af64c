import { MemoryRateLimitStore } from '../../adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { NodeProcessFigures } from '../../adapters/outbound/node-process-figures/node-process-figures.js';
import { CryptoRandom } from '../../adapters/outbound/node-random/crypto-random.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { NodeWorkerProcesses } from '../../adapters/outbound/node-workers/node-worker-processes.js';
import { ownSampleNames } from '../../adapters/outbound/prometheus-metrics/gauge-samples.js';
import { AgentMetrics } from '../../application/gateway/ask-agents/reports/agent-metrics.js';
import { AuditTrail, type GatewayAudit } from '../../application/gateway/audit/audit-trail.js';
import { MemoryOfWorkers } from '../../application/gateway/guard-resources/memory-of-workers.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/prepared-reload.js';
import {
  GatheredWorkers,
  type GatheringEnvironment,
} from '../../application/gateway/workers/aggregate/gathered-workers.js';
import { ReloadRequests } from '../../application/gateway/workers/aggregate/gathering-topics.js';
import { PermitCoordinator } from '../../application/gateway/workers/share-permits/permit-coordinator.js';
import { RateLeaseServer } from '../../application/gateway/workers/share-rates/rate-lease-server.js';
import { TicketKeyServer } from '../../application/gateway/workers/share-ticket-keys/shared-ticket-keys.js';
import {
  JoinableService,
  type SupervisedService,
} from '../../application/gateway/workers/supervise/supervised-service.js';
import {
  type SupervisionTimes,
  supervisionTimes,
} from '../../application/gateway/workers/supervise/supervision-times.js';
import { Supervisor } from '../../application/gateway/workers/supervise/supervisor.js';
import type { WorkerFailure } from '../../application/gateway/workers/supervise/worker-slots.js';
import type { CommandLineOverrides } from '../../application/gateway/workers/supervise/worker-topics.js';
import type { ConfigurationSource, LoadedConfiguration } from '../../application/ports/gateway/configuration-source.js';
import type { GatewayPhase, ReloadFigures, TargetName } from '../../application/ports/gateway/gateway-state.js';
import type { SharedSockets } from '../../application/ports/gateway/listening-sockets.js';
import type { AuditLog } from '../../application/ports/shared/audit-log.js';
import type { Clock } from '../../application/ports/shared/clock.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import type { LogConfiguration } from '../../domain/configuration/log-configuration.js';
import { bucketsByName } from '../../domain/gateway/rate-limiting/applied-rate-limit.js';
import { ok, type Result } from '../../domain/shared/result.js';
import { programVersion } from '../shared/version.js';
import { sharedStores } from '../shared/worker-stores.js';
import { auditLogs } from './audit-logs.js';
import { logWorkerFailure } from './load-failure-text.js';
import type { ServingGateway } from './serving-gateway.js';
import type { RunningGateway } from './start-gateway.js';

/** Options to start a gateway with several processes. */
interface SupervisedStart {
  /** As given on the command line. */
  readonly configFile: string;
  readonly overrides: CommandLineOverrides;
  readonly log: LogConfiguration;
  /** Rereads the file on a reload. */
  readonly source: ConfigurationSource;
  /** The configuration at the start. */
  readonly first: LoadedConfiguration;
  /** Number of workers: see `workerCount`. */
  readonly workers: number;
  /** Number of workers for `worker-threads` 0. */
  readonly cores: number;
  readonly sockets: SharedSockets;
  readonly logger: Logger;
  readonly audit: GatewayAudit;
  readonly services: readonly SupervisedService[];
  drainedTargets(): readonly TargetName[];
  reloaded(outcome: 'success' | 'failure'): void;
  logFailure(failure: WorkerFailure): void;
  /** Called before the first process starts, with a function that kills all of them. */
  begins?(kill: () => void): void;
  /** Module that a worker runs. Default: the one of this package. */
  readonly program?: URL;
  readonly times?: Partial<SupervisionTimes>;
}

/** A supervisor with serving workers. */
interface RunningSupervisor extends RunningGateway {
  readonly supervisor: Supervisor;
}

/** Maximum delay of a timer; a longer one would fire at once. */
const maxDelayMs = 2 ** 31 - 1;

/** Starts and supervises the workers of a gateway. Resolves when all serve. */
export const startSupervised = async (start: SupervisedStart): Promise<Result<RunningSupervisor, LoadFailure>> => {
  const clock = new SystemClock();
  const program = start.program ?? new URL('./main-gateway-worker.js', import.meta.url);
  const { configFile, overrides, log } = start;
  const processes = new NodeWorkerProcesses(program);
  const supervisor = new Supervisor({
    ...start,
    processes,
    clock,
    scheduler: new NodeScheduler(),
    times: { ...supervisionTimes, ...start.times },
    order: { configFile, overrides, log, startedAtMs: clock.wallMs() },
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
  // Keeps the process alive while no worker is running.
  const alive = setInterval(() => undefined, maxDelayMs);
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

/** Aggregates the figures of the workers in the supervisor. */
const aggregateWorkers = (
  parts: Omit<GatheringEnvironment, 'figures' | 'agentReports'> & { readonly clock: Clock },
): GatheredWorkers =>
  new GatheredWorkers({
    ...parts,
    figures: new NodeProcessFigures(),
    agentReports: new AgentMetrics(ownSampleNames, parts.clock, parts.logger),
  });

/** Options to start a supervised gateway; its services provide the rest. */
export interface SupervisedGatewayStart
  extends Omit<SupervisedStart, 'services' | 'drainedTargets' | 'reloaded' | 'logFailure' | 'audit'> {
  /** The audit log on standard output, if it has no file. */
  auditOutput(): AuditLog;
  /** Targets drained by the predecessor. */
  readonly drainedTargets: readonly TargetName[];
}

/** Starts a gateway with several processes and its supervisor's services. */
export const superviseGateway = async (start: SupervisedGatewayStart): Promise<Result<ServingGateway, LoadFailure>> => {
  const { logger, workers } = start;
  const [clock, scheduler] = [new SystemClock(), new NodeScheduler()];
  const reloadRequests = new ReloadRequests();
  const open = auditLogs(() => start.auditOutput(), logger);
  const audit = new AuditTrail({ open, clock, logger, worker: 0, version: programVersion });
  const leases = new RateLeaseServer(new MemoryRateLimitStore(clock), clock);
  const running: { phase: GatewayPhase; reloads: () => ReloadFigures } = {
    phase: 'starting',
    reloads: () => ({ count: 0, lastLoadMs: clock.wallMs() }),
  };
  const gathered = aggregateWorkers({
    supervisor: {
      phase: () => running.phase,
      reloads: () => running.reloads(),
      rateLimiterKeys: () => bucketsByName(leases.sizes()),
      reload: () => reloadRequests.request(),
      droppedAuditRecords: () => audit.dropped(),
    },
    scheduler,
    clock,
    logger,
    drainedTargets: start.drainedTargets,
  });
  const started = await startSupervised({
    ...start,
    audit,
    services: [
      gathered,
      new PermitCoordinator(workers, clock, scheduler),
      new JoinableService(leases),
      new JoinableService(new TicketKeyServer(new CryptoRandom(), scheduler)),
      new JoinableService(new MemoryOfWorkers(new NodeProcessFigures())),
      sharedStores(logger, clock, scheduler),
    ],
    drainedTargets: () => gathered.drainedTargets(),
    reloaded: (outcome) => gathered.reloaded(outcome),
    logFailure: (failure) => logWorkerFailure(failure, logger),
  });
  if (!started.ok) return started;
  const { supervisor, stop } = started.value;
  running.phase = 'running';
  running.reloads = () => supervisor.reloads();
  gathered.start();
  return ok({
    gateway: {
      ...started.value,
      stop: async (graceMs, isReplaced) => {
        running.phase = isReplaced ? 'replaced' : 'draining';
        await stop(graceMs, isReplaced);
        gathered.stop();
      },
    },
    reloadRequests,
    reloadCount: () => supervisor.reloads().count,
    drainTarget: (target, drained) => gathered.drainTarget({ ...target, drained }),
  });
};
