import type { ReachedLimit } from './limit-violation.js';

/** The queue limit that another waiting call exceeds. */
export const agentQueueLimit = (maxQueueDepth: number, waiting: number): ReachedLimit => ({
  name: 'max-agent-queue-depth',
  limit: maxQueueDepth,
  actual: waiting + 1,
});

/** The limit that an answer of at least `octets` octets exceeds. */
export const agentResponseLimit = (maxResponseBytes: number, octets: number): ReachedLimit => ({
  name: 'max-agent-response-bytes',
  limit: maxResponseBytes,
  actual: octets,
});
