import type { ServiceIdentifier } from 'inversify';
import type { StartOrder } from '../../application/gateway/workers/supervise/worker-topics.js';
import type { Correspondence } from '../../application/shared/worker-channel/correspondence.js';

/** What a worker's process has that a gateway of one process has not. */
export const workerTokens = {
  /** With the supervisor. */
  supervisor: Symbol('Correspondence') as ServiceIdentifier<Correspondence>,
  order: Symbol('StartOrder') as ServiceIdentifier<StartOrder>,
} as const;
