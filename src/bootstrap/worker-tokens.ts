import type { ServiceIdentifier } from 'inversify';
import type { Correspondence } from '../application/correspondence/correspondence.js';
import type { StartOrder } from '../application/supervise-workers/worker-topics.js';

/** What a worker's process has that a gateway of one process has not. */
export const workerTokens = {
  /** With the supervisor. */
  supervisor: Symbol('Correspondence') as ServiceIdentifier<Correspondence>,
  order: Symbol('StartOrder') as ServiceIdentifier<StartOrder>,
} as const;
