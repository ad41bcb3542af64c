import type { ServiceIdentifier } from 'inversify';
import type { StartOrder } from '../../application/gateway/workers/supervise/worker-topics.js';
import type { WorkerChannel } from '../../application/shared/worker-channel/worker-channel.js';

/** What a worker's process has that a gateway of one process has not. */
export const workerTokens = {
  /** With the supervisor. */
  supervisor: Symbol('Correspondence') as ServiceIdentifier<WorkerChannel>,
  order: Symbol('StartOrder') as ServiceIdentifier<StartOrder>,
} as const;
