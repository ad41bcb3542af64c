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
import type { WorkerFailure } from './worker-slots.js';
import type { GatewayOrder } from './worker-topics.js';

/** The ports and settings of a supervisor. */
export interface SupervisorOptions {
  readonly processes: WorkerProcesses;
  /** Reads the configuration from disk. */
  readonly source: ConfigurationSource;
  readonly sockets: SharedSockets;
  readonly services: readonly SupervisedService[];
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Records gateway events, once for all workers. */
  readonly audit: GatewayAudit;
  readonly times: SupervisionTimes;
  readonly order: GatewayOrder;
  /** Number of workers. */
  readonly workers: number;
  /** The worker count that `worker-threads` 0 stands for. */
  readonly cores: number;
  /** Targets that new workers must treat as drained. */
  drainedTargets(): readonly TargetName[];
  /** Called at the end of each reload. */
  reloaded(outcome: 'success' | 'failure'): void;
  /** Logs why a replacement worker failed to start. */
  logFailure(failure: WorkerFailure): void;
}
