import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import { isUpstreamHealthy } from '../../../domain/gateway/status/upstream-health.js';
import type { TargetStatus, UpstreamStatus } from '../../ports/gateway/gateway-state.js';
import { timestamp } from './timestamp.js';

interface TargetReport {
  readonly address: string;
  /** As configured; absent where that is the address. */
  readonly name?: string;
  readonly healthy: boolean;
  readonly drained: boolean;
  readonly weight: number;
  /** Absent where the target has none. */
  readonly circuit_breaker?: CircuitState;
  readonly active_connections: number;
  readonly total_requests: number;
  readonly failed_requests: number;
  readonly last_error?: string;
  readonly unhealthy_since?: string;
}

/** Body of /admin/upstreams. */
export interface UpstreamsReport {
  readonly upstreams: Readonly<
    Record<string, { readonly healthy: boolean; readonly targets: readonly TargetReport[] }>
  >;
}

const targetReport = (target: TargetStatus): TargetReport => ({
  address: target.address,
  ...(target.name === null ? {} : { name: target.name }),
  healthy: target.healthy,
  drained: target.drained,
  weight: target.weight,
  ...(target.breaker === null ? {} : { circuit_breaker: target.breaker }),
  active_connections: target.activeConnections,
  total_requests: target.totalRequests,
  failed_requests: target.failedRequests,
  ...(target.healthy || target.lastError === null ? {} : { last_error: target.lastError }),
  ...(target.healthy || target.unhealthySinceMs === null
    ? {}
    : { unhealthy_since: timestamp(target.unhealthySinceMs) }),
});

export const upstreamsReport = (upstreams: readonly UpstreamStatus[]): UpstreamsReport => ({
  // fromEntries defines its members, so that an upstream called `__proto__` is one like any other.
  upstreams: Object.fromEntries(
    upstreams.map(({ name, targets }) => [
      name,
      { healthy: isUpstreamHealthy(targets), targets: targets.map(targetReport) },
    ]),
  ),
});
