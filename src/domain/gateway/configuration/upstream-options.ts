/** The kind of health check. */
export type HealthProbe =
  | {
      /** HTTP/1.1 or HTTP/2, as the upstream; `http_auto`: as the TLS handshake selects. */
      readonly kind: 'http' | 'http2' | 'http_auto';
      /** Path and optional query of the GET request. */
      readonly path: string;
      /** Statuses of a healthy target. */
      readonly expectedStatuses: readonly number[];
      /** The Host header; null: the configured address. */
      readonly host: string | null;
    }
  /** An established connection suffices. */
  | { readonly kind: 'tcp' }
  /** The standard health service, grpc.health.v1. An empty `service` means the whole server. */
  | { readonly kind: 'grpc'; readonly service: string };

/** Active health checks of an upstream. Thresholds count consecutive checks, at least 1. */
export interface HealthCheck {
  readonly probe: HealthProbe;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/** The hash key of a request. Header names are in lower case; cookie names are case-sensitive. */
export type HashKey =
  | { readonly kind: 'client_ip' }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'cookie'; readonly name: string };

/** The load-balancing method for healthy targets. Every kind honours weights. */
export type Balancing =
  | { readonly kind: 'round_robin' }
  | { readonly kind: 'least_connections' }
  | { readonly kind: 'power_of_two' }
  | { readonly kind: 'consistent_hash'; readonly key: HashKey };

/** The cookie that keeps a client on its first target. */
export interface StickyCookie {
  readonly name: string;
  /** Null: until the browser closes. */
  readonly maxAgeMs: number | null;
}

/** The retry rules of an upstream. */
export interface RetryRules {
  /** Including the first; 1: no retries. */
  readonly maxAttempts: number;
  /** Largest number of retries for each 100 requests of the upstream. */
  readonly budgetPercent: number;
}

/** Idle connections that a pool keeps, at most `maxConnections`. The default of `max-idle` may exceed a small pool. */
export const keptIdleConnections = (maxIdle: number, maxConnections: number): number =>
  Math.min(maxIdle, maxConnections);
