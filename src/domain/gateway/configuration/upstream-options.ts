/** How it is found out whether a target is there. */
export type HealthProbe =
  | {
      /** Over HTTP/1.1, or over HTTP/2 where that is what the upstream is spoken to by. */
      readonly kind: 'http' | 'http2';
      /** The target of a GET: path, and query if there is one. */
      readonly path: string;
      /** Statuses that say that it is well. */
      readonly expectedStatuses: readonly number[];
      /** The Host field; null: the address as it is configured. */
      readonly host: string | null;
    }
  /** A connection that stands is enough. */
  | { readonly kind: 'tcp' }
  /** The standard health service, grpc.health.v1. An empty `service` asks about the server as a whole. */
  | { readonly kind: 'grpc'; readonly service: string };

/** Active checks of the targets of an upstream. Thresholds are counts in a row, at least 1. */
export interface HealthCheck {
  readonly probe: HealthProbe;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/** What of a request a target is chosen by. Names of headers are in lower case, those of cookies as they are. */
export type HashKey =
  | { readonly kind: 'client_ip' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'cookie'; readonly name: string };

/** How a target is chosen among those that are well. Every kind honours the weights. */
export type Balancing =
  | { readonly kind: 'round_robin' }
  | { readonly kind: 'least_connections' }
  | { readonly kind: 'power_of_two' }
  | { readonly kind: 'consistent_hash'; readonly key: HashKey };

/** The cookie that keeps a client with the target that it was sent to first. */
export interface StickyCookie {
  readonly name: string;
  /** Null: for as long as the browser is open. */
  readonly maxAgeMs: number | null;
}

/** How often a request may be sent to another target after a failure. */
export interface RetryRules {
  /** The first one included; 1: never again. */
  readonly maxAttempts: number;
  /** Retries for each 100 requests of the upstream at most. */
  readonly budgetPercent: number;
}

/**
 * Idle connections that a pool keeps: never more than it may have. The default of `max-idle` may be above a small
 * pool.
 */
export const keptIdleConnections = (maxIdle: number, maxConnections: number): number =>
  Math.min(maxIdle, maxConnections);
