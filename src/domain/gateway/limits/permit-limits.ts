import type { LimitsConfiguration } from '../configuration/gateway-configuration.js';
import type { PermitKind } from './permit-share.js';
import { concurrencyLimits } from './request-concurrency.js';

/** As good as no limit, and yet a number that shares can be counted with. */
const unlimited = 2 ** 50;

/** Permits that all workers have together, by kind. */
export type PermitLimits = Readonly<Record<PermitKind, number>>;

/** Before a configuration is in force nothing is let in. */
export const noPermits: PermitLimits = {
  connections: 0,
  'connections-of-client': 0,
  requests: 0,
  'requests-of-client': 0,
  'requests-of-route': 0,
  'queued-requests': 0,
  'agent-queue': 0,
};

export const permitLimits = (limits: LimitsConfiguration, workers: number): PermitLimits => {
  const { inFlight, perRoute, perClient, queued } = concurrencyLimits(limits, workers);
  return {
    connections: limits.maxTotalConnections,
    'connections-of-client': perClient,
    requests: inFlight.limit,
    'requests-of-client': perClient,
    'requests-of-route': Math.min(perRoute, unlimited),
    'queued-requests': queued,
    'agent-queue': limits.maxAgentQueueDepth,
  };
};
