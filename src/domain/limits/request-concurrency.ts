import type { LimitsConfiguration } from '../configuration/gateway-configuration.js';
import { connectionsOver } from './connection-limits.js';
import type { LimitViolation } from './limit-violation.js';

/** A key of the configuration with its value. */
export interface NamedLimit {
  readonly name: string;
  readonly limit: number;
}

/** How many requests may be under way. */
export interface ConcurrencyLimits {
  /** Requests that are served at a time. */
  readonly inFlight: NamedLimit;
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
  queued: 0,
  perRoute: 0,
  perClient: 0,
};

/** With one worker both limits of requests in flight hold for the same requests: the lower one is the one that counts. */
const inFlightLimit = ({ maxInFlightRequests, maxInFlightRequestsPerWorker }: LimitsConfiguration): NamedLimit =>
  maxInFlightRequestsPerWorker < maxInFlightRequests
    ? { name: 'max-in-flight-requests-per-worker', limit: maxInFlightRequestsPerWorker }
    : { name: 'max-in-flight-requests', limit: maxInFlightRequests };

/**
 * What the configuration says of requests under way. No route has more of them in flight than there are in all: where it
 * may have as many as that, the ones that wait are left to the queue, or a single route would never get to use it.
 */
export const concurrencyLimits = (limits: LimitsConfiguration): ConcurrencyLimits => {
  const inFlight = inFlightLimit(limits);
  return {
    inFlight,
    queued: limits.maxQueuedRequests,
    perRoute: limits.maxConnectionsPerRoute < inFlight.limit ? limits.maxConnectionsPerRoute : Number.POSITIVE_INFINITY,
    perClient: limits.maxConnectionsPerClient,
  };
};

/** One more request of a client that has so many under way. */
export const clientViolation = (underWay: number, { perClient }: ConcurrencyLimits): LimitViolation | null =>
  connectionsOver('max-connections-per-client', perClient, underWay);

/** One more request of a route that has so many under way. */
export const routeViolation = (underWay: number, { perRoute }: ConcurrencyLimits): LimitViolation | null =>
  connectionsOver('max-connections-per-route', perRoute, underWay);

/** A request that was not let in before its time was over. */
export const inFlightViolation = ({ inFlight: { name, limit } }: ConcurrencyLimits): LimitViolation => ({
  code: 'request_limit_reached',
  name,
  limit,
  actual: limit + 1,
});

/** A request that finds no place in the queue. Where there is no queue, it is the limit before it that was reached. */
export const queueViolation = (limits: ConcurrencyLimits): LimitViolation =>
  limits.queued === 0
    ? inFlightViolation(limits)
    : { code: 'request_limit_reached', name: 'max-queued-requests', limit: limits.queued, actual: limits.queued + 1 };
