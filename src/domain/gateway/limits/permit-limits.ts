import type { LimitsConfiguration } from '../configuration/gateway-configuration.js';
import { maxMirroredRequests } from '../route-transforms/mirror.js';
import { concurrencyLimits } from './request-concurrency.js';

/** Kinds of permits. Each kind has one limit, and one key in all or one for each client, route or agent. */
export type PermitKind =
  | 'connections'
  | 'connections-of-client'
  | 'requests'
  /** Requests that have left `requests` because their responses may never end. */
  | 'streams'
  | 'requests-of-client'
  | 'requests-of-route'
  | 'queued-requests'
  /** Copies of requests under way. */
  | 'mirrored-requests'
  | 'agent-queue';

/** The share that a worker may use without asking while the key is uncontended. A single worker has the whole limit. */
export const staticShare = (limit: number, workers: number): number => Math.floor(limit / workers);

/**
 * The part of each worker in a limit without coordination, such as that of a pool. The sum may exceed the limit by less
 * than one for each worker.
 */
export const dividedLimit = (limit: number, workers: number): number => Math.ceil(limit / workers);

/** Practically unlimited, but finite, so that shares can be computed. */
const unlimited = 2 ** 50;

/** Limits for all workers together, by kind. */
export type PermitLimits = Readonly<Record<PermitKind, number>>;

/** Before a configuration is active, nothing is allowed. */
export const noPermits: PermitLimits = {
  connections: 0,
  'connections-of-client': 0,
  requests: 0,
  streams: 0,
  'requests-of-client': 0,
  'requests-of-route': 0,
  'queued-requests': 0,
  'mirrored-requests': 0,
  'agent-queue': 0,
};

export const permitLimits = (limits: LimitsConfiguration, workers: number): PermitLimits => {
  const { inFlight, perRoute, perClient, queued } = concurrencyLimits(limits, workers);
  return {
    connections: limits.maxTotalConnections,
    'connections-of-client': perClient,
    requests: inFlight.limit,
    streams: limits.maxTotalConnections,
    'requests-of-client': perClient,
    'requests-of-route': Math.min(perRoute, unlimited),
    'queued-requests': queued,
    'mirrored-requests': maxMirroredRequests,
    'agent-queue': limits.maxAgentQueueDepth,
  };
};
