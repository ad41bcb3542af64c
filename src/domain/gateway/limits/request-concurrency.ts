import type { LimitsConfiguration } from '../configuration/gateway-configuration.js';
import { reachedConnectionLimit } from './connection-limits.js';
import type { LimitViolation } from './limit-violation.js';

/** A key of the configuration with its value. */
export interface NamedLimit {
  readonly name: string;
  readonly limit: number;
}

/** How many requests may be under way. */
export interface ConcurrencyLimits {
  /** Requests that are served at a time, over all workers. */
  readonly inFlight: NamedLimit;
  /** Those of them that one worker serves. */
  readonly inFlightPerWorker: NamedLimit;
  /** Requests that wait for that. */
  readonly queued: number;
  /** Requests of one route, those that wait included; infinite where `inFlight` alone sees to it. */
  readonly perRoute: number;
  /** Requests of one client behind a trusted proxy, those that wait included. */
  readonly perClient: number;
}

/** Nothing is let in, and nothing waits. */
export const noConcurrency: ConcurrencyLimits = {
  inFlight: { name: 'max-in-flight-requests', limit: 0 },
  inFlightPerWorker: { name: 'max-in-flight-requests-per-worker', limit: 0 },
  queued: 0,
  perRoute: 0,
  perClient: 0,
};

/**
 * What the configuration says of requests under way. No route has more of them in flight than there are in all: where
 * it may have as many as that, the ones that wait are left to the queue, or a single route would never get to use it.
 */
export const concurrencyLimits = (limits: LimitsConfiguration, workers: number): ConcurrencyLimits => {
  const ofAll = limits.maxInFlightRequests;
  const ofOne = limits.maxInFlightRequestsPerWorker;
  const most = Math.min(ofAll, ofOne * workers);
  return {
    inFlight: { name: 'max-in-flight-requests', limit: ofAll },
    inFlightPerWorker: { name: 'max-in-flight-requests-per-worker', limit: ofOne },
    queued: limits.maxQueuedRequests,
    perRoute: limits.maxConnectionsPerRoute < most ? limits.maxConnectionsPerRoute : Number.POSITIVE_INFINITY,
    perClient: limits.maxConnectionsPerClient,
  };
};

/** One more request of a client that has so many under way, by all workers. */
export const clientViolation = (underWay: number, limit: number): LimitViolation =>
  reachedConnectionLimit('max-connections-per-client', limit, underWay);

/** One more request of a route that has so many under way, by all workers. */
export const routeViolation = (underWay: number, limit: number): LimitViolation =>
  reachedConnectionLimit('max-connections-per-route', limit, underWay);

/** Whether a worker that serves so many requests serves no more by itself, whatever the others do. */
export const isWorkerFull = (inFlight: number, { inFlightPerWorker }: ConcurrencyLimits): boolean =>
  inFlight >= inFlightPerWorker.limit;

/** A request that was not let in before its time was over, by a worker that serves so many. */
export const inFlightViolation = (inFlight: number, limits: ConcurrencyLimits): LimitViolation => {
  const isOfWorker = isWorkerFull(inFlight, limits) && limits.inFlightPerWorker.limit < limits.inFlight.limit;
  const { name, limit } = isOfWorker ? limits.inFlightPerWorker : limits.inFlight;
  return { code: 'request_limit_reached', name, limit, actual: limit + 1 };
};

/** A request that finds no place in the queue. Where there is no queue, it is the limit before it that was reached. */
export const queueViolation = (inFlight: number, limits: ConcurrencyLimits): LimitViolation =>
  limits.queued === 0
    ? inFlightViolation(inFlight, limits)
    : { code: 'request_limit_reached', name: 'max-queued-requests', limit: limits.queued, actual: limits.queued + 1 };
