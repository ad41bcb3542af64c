import type { LimitsConfiguration } from '../configuration/gateway-configuration.js';
import { concurrencyLimits } from './request-concurrency.js';

/**
 * What permits are held for. Each kind has one limit, and keys of its own: one, or one for each client, route or
 * agent.
 */
export type PermitKind =
  | 'connections'
  | 'connections-of-client'
  | 'requests'
  | 'requests-of-client'
  | 'requests-of-route'
  | 'queued-requests'
  | 'agent-queue';

/** What a worker may hold of a limit without asking, while nobody needs more. One worker has all of it. */
export const staticShare = (limit: number, workers: number): number => Math.floor(limit / workers);

/**
 * What each worker has of a limit that is not held together with the others, as that of a pool: the sum may be over
 * it by less than one for each.
 */
export const dividedLimit = (limit: number, workers: number): number => Math.ceil(limit / workers);

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
