import type { LimitsConfiguration } from '../configuration/gateway-configuration.js';
import { reachedConnectionLimit } from './connection-limits.js';
import type { LimitViolation } from './limit-violation.js';

/** A configuration key with its value. */
export interface NamedLimit {
  readonly name: string;
  readonly limit: number;
}

/** Limits for concurrent requests. */
export interface ConcurrencyLimits {
  /** Requests in flight in all workers. */
  readonly inFlight: NamedLimit;
  /** Requests in flight in one worker. */
  readonly inFlightPerWorker: NamedLimit;
  /** Queued requests. */
  readonly queued: number;
  /** Requests of one route, including queued ones; infinite: only `inFlight` applies. */
  readonly perRoute: number;
  /** Requests of one client behind a trusted proxy, including queued ones. */
  readonly perClient: number;
}

/** Allows no requests and no queue. */
export const noConcurrency: ConcurrencyLimits = {
  inFlight: { name: 'max-in-flight-requests', limit: 0 },
  inFlightPerWorker: { name: 'max-in-flight-requests-per-worker', limit: 0 },
  queued: 0,
  perRoute: 0,
  perClient: 0,
};

/**
 * Derives the limits from the configuration. A route limit at or above the total limit becomes infinite; otherwise a
 * single route could never use the queue.
 */
export const concurrencyLimits = (limits: LimitsConfiguration, workers: number): ConcurrencyLimits => {
  const total = limits.maxInFlightRequests;
  const perWorker = limits.maxInFlightRequestsPerWorker;
  const effectiveTotal = Math.min(total, perWorker * workers);
  return {
    inFlight: { name: 'max-in-flight-requests', limit: total },
    inFlightPerWorker: { name: 'max-in-flight-requests-per-worker', limit: perWorker },
    queued: limits.maxQueuedRequests,
    perRoute: limits.maxConnectionsPerRoute < effectiveTotal ? limits.maxConnectionsPerRoute : Number.POSITIVE_INFINITY,
    perClient: limits.maxConnectionsPerClient,
  };
};

/** The violation by another request of a client that has `open` requests in all workers. */
export const clientViolation = (open: number, limit: number): LimitViolation =>
  reachedConnectionLimit('max-connections-per-client', limit, open);

/** The violation by another request of a route that has `open` requests in all workers. */
export const routeViolation = (open: number, limit: number): LimitViolation =>
  reachedConnectionLimit('max-connections-per-route', limit, open);

/** Whether a worker has reached its own limit. */
export const isWorkerFull = (inFlight: number, { inFlightPerWorker }: ConcurrencyLimits): boolean =>
  inFlight >= inFlightPerWorker.limit;

/** The violation by a request that timed out in the queue of a worker with `inFlight` requests. */
export const inFlightViolation = (inFlight: number, limits: ConcurrencyLimits): LimitViolation => {
  const isWorkerLimit = isWorkerFull(inFlight, limits) && limits.inFlightPerWorker.limit < limits.inFlight.limit;
  const { name, limit } = isWorkerLimit ? limits.inFlightPerWorker : limits.inFlight;
  return { code: 'request_limit_reached', name, limit, actual: limit + 1 };
};

/** The violation by a request that does not fit in the queue. Without a queue the in-flight limit applies. */
export const queueViolation = (inFlight: number, limits: ConcurrencyLimits): LimitViolation =>
  limits.queued === 0
    ? inFlightViolation(inFlight, limits)
    : { code: 'request_limit_reached', name: 'max-queued-requests', limit: limits.queued, actual: limits.queued + 1 };
