import { MemoryRateLimitStore } from '../../adapters/outbound/memory-rate-limit-store/memory-rate-limit-store.js';
import { SystemClock } from '../../adapters/outbound/node-clock/system-clock.js';
import { NodeProcessFigures } from '../../adapters/outbound/node-process-figures/node-process-figures.js';
import { NodeScheduler } from '../../adapters/outbound/node-scheduler/node-scheduler.js';
import { AuditTrail } from '../../application/gateway/audit/audit-trail.js';
import { MemoryOfWorkers } from '../../application/gateway/guard-resources/memory-of-workers.js';
import type { LoadFailure } from '../../application/gateway/run-gateway/load-failure.js';
import { ReloadRequests } from '../../application/gateway/workers/aggregate/reload-requests.js';
import { PermitCoordinator } from '../../application/gateway/workers/share-permits/permit-coordinator.js';
import { RateLeases } from '../../application/gateway/workers/share-rates/rate-leases.js';
import { JoinedService } from '../../application/gateway/workers/supervise/joined-service.js';
import type { AuditLog } from '../../application/ports/gateway/audit-log.js';
import type { GatewayPhase, ReloadFigures, TargetName } from '../../application/ports/gateway/gateway-state.js';
import { bucketsByName } from '../../domain/gateway/rate-limiting/applied-rate-limit.js';
import { ok, type Result } from '../../domain/shared/result.js';
import { programVersion } from '../shared/version.js';
import { sharedStores } from '../shared/worker-stores.js';
import { auditLogs } from './audit-logs.js';
import { gatherWorkers } from './gather-workers.js';
import { logWorkerFailure } from './load-failure-text.js';
import type { ServingGateway } from './serving-gateway.js';
import { type SupervisedStart, startSupervised } from './start-supervised.js';

/** What a supervised gateway is started with; the rest its services bring. */
export interface SupervisedGatewayStart
  extends Omit<SupervisedStart, 'services' | 'drainedTargets' | 'reloaded' | 'logFailure' | 'audit'> {
  /** The audit log among the others, where it is not in a file of its own. */
  auditOutput(): AuditLog;
  /** Drained before this program took over. */
  readonly drainedTargets: readonly TargetName[];
}

/** Starts a gateway of several processes, with what its supervisor does for all of them. */
export const superviseGateway = async (start: SupervisedGatewayStart): Promise<Result<ServingGateway, LoadFailure>> => {
  const { logger, workers } = start;
  const [clock, scheduler] = [new SystemClock(), new NodeScheduler()];
  const reloadRequests = new ReloadRequests();
  const open = auditLogs(() => start.auditOutput(), logger);
  const audit = new AuditTrail({ open, clock, logger, worker: 0, version: programVersion });
  const leases = new RateLeases(new MemoryRateLimitStore(clock), clock);
  const running: { phase: GatewayPhase; reloads: () => ReloadFigures } = {
    phase: 'starting',
    reloads: () => ({ count: 0, lastLoadMs: clock.wallMs() }),
  };
  const gathered = gatherWorkers({
    facts: {
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
      new JoinedService(leases),
      new JoinedService(new MemoryOfWorkers(new NodeProcessFigures())),
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
