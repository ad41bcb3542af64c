import { circuitStateOf } from '../../domain/circuit-breaking/circuit-breaker.js';
import type { UpstreamConfiguration } from '../../domain/configuration/gateway-configuration.js';
import { socketAddressText } from '../../domain/configuration/schema/network-kinds.js';
import type { Clock } from '../ports/clock.js';
import type { PoolFigures } from '../ports/gateway-metrics.js';
import type { TargetStatus } from '../ports/gateway-state.js';
import type { Endpoint } from './endpoint.js';
import type { HostLookups } from './host-lookups.js';

/** A half-open breaker is not held against a target: nobody would send it the request that shows how it is. */
const endpointStatus = (endpoint: Endpoint, clock: Clock): TargetStatus => {
  const { ledger, rules, text, names, isWell } = endpoint;
  const { ejection, health } = ledger;
  const breaker = rules.breaker === null ? null : circuitStateOf(ejection.breaker, clock.monotonicMs());
  const common = {
    address: text,
    name: names.find((name) => name !== text) ?? null,
    drained: endpoint.isDrained,
    weight: endpoint.configuredWeight,
    breaker,
    activeConnections: endpoint.client.figures().activeConnections,
    totalRequests: ledger.totalRequests,
    failedRequests: ledger.failedRequests,
  };
  if (!isWell) return { ...common, healthy: false, lastError: health.lastError, unhealthySinceMs: health.sinceMs };
  if (breaker !== 'open') return { ...common, healthy: true, lastError: null, unhealthySinceMs: null };
  return { ...common, healthy: false, lastError: ejection.lastError, unhealthySinceMs: ejection.sinceMs };
};

/** How each endpoint is; a target whose name has no address is one that is not well. */
export const targetStatuses = (
  configuration: UpstreamConfiguration,
  endpoints: readonly Endpoint[],
  lookups: HostLookups,
  isDrained: (name: string) => boolean,
  clock: Clock,
): readonly TargetStatus[] => {
  const unresolved = configuration.targets.filter(({ address }) => lookups.addressesOf(address.host).length === 0);
  return [
    ...endpoints.map((endpoint) => endpointStatus(endpoint, clock)),
    ...unresolved.map(({ address, weight }): TargetStatus => {
      const name = socketAddressText(address);
      return {
        address: name,
        name,
        healthy: false,
        drained: isDrained(name),
        weight,
        breaker: null,
        activeConnections: 0,
        totalRequests: 0,
        failedRequests: 0,
        lastError: `${address.host}: ${lookups.errorOf(address.host)}`,
        unhealthySinceMs: lookups.failedSinceMs(address.host),
      };
    }),
  ];
};

/** The connections of each target, under the name that it has in the configuration: addresses come and go. */
export const poolFigures = (upstream: string, endpoints: readonly Endpoint[]): readonly PoolFigures[] => {
  const pools = new Map<string, PoolFigures>();
  for (const { client, target } of endpoints) {
    const { activeConnections, idleConnections, waitingRequests } = client.figures();
    const known = pools.get(target.authority);
    pools.set(target.authority, {
      upstream,
      target: target.authority,
      size: (known?.size ?? 0) + activeConnections + idleConnections,
      idle: (known?.idle ?? 0) + idleConnections,
      waiting: (known?.waiting ?? 0) + waitingRequests,
    });
  }
  return [...pools.values()];
};
