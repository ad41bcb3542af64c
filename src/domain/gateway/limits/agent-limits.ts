import type { ReachedLimit } from './limit-violation.js';

/** One more call that was to wait for an agent, where so many wait already. */
export const agentQueueLimit = (maxQueueDepth: number, waiting: number): ReachedLimit => ({
  name: 'max-agent-queue-depth',
  limit: maxQueueDepth,
  actual: waiting + 1,
});

/** An answer of an agent that has so many octets, or more. */
export const agentResponseLimit = (maxResponseBytes: number, octets: number): ReachedLimit => ({
  name: 'max-agent-response-bytes',
  limit: maxResponseBytes,
  actual: octets,
});
