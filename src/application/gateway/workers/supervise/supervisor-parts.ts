import type { ConfigurationSource } from '../../../ports/gateway/configuration-source.js';
import type { TargetName } from '../../../ports/gateway/gateway-state.js';
import type { SharedSockets } from '../../../ports/gateway/listening-sockets.js';
import type { WorkerProcesses } from '../../../ports/gateway/worker-processes.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import type { Scheduler } from '../../../ports/shared/scheduler.js';
import type { GatewayAudit } from '../../audit/audit-trail.js';
import type { SupervisedService } from './supervised-service.js';
import type { SupervisionTimes } from './supervision-times.js';
import type { WorkerFailure } from './worker-places.js';
import type { GatewayOrder } from './worker-topics.js';

/** What a supervisor is made of. */
export interface SupervisorParts {
  readonly processes: WorkerProcesses;
  /** Reads the configuration as it is on the disk. */
  readonly source: ConfigurationSource;
  readonly sockets: SharedSockets;
  readonly services: readonly SupervisedService[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Hears of what becomes of the gateway, once for all workers. */
  readonly audit: GatewayAudit;
  readonly times: SupervisionTimes;
  readonly order: GatewayOrder;
  /** How many workers there are. */
  readonly workers: number;
  /** What `worker-threads` 0 means. */
  readonly cores: number;
  /** What workers that come later have to know. */
  drainedTargets(): readonly TargetName[];
  /** A reload has come to its end. */
  reloaded(outcome: 'success' | 'failure'): void;
  /** Says what kept a worker from replacing another. */
  logFailure(failure: WorkerFailure): void;
}
