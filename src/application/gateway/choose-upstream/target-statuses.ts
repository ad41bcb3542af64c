import { socketAddressText } from '../../../domain/configuration/schema/network-kinds.js';
import { circuitStateOf } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type { UpstreamConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { TargetStatus } from '../../ports/gateway/gateway-state.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Endpoint } from './endpoint.js';
import type { HostLookups } from './host-lookups.js';

/** A half-open breaker is not held against a target: nobody would send it the request that shows how it is. */
const endpointStatus = (endpoint: Endpoint, clock: Clock): TargetStatus => {
  const { ledger, text, names, isWell } = endpoint;
  const { ejection, health } = ledger;
  const breaker = endpoint.breaker === null ? null : circuitStateOf(ejection.breaker, clock.monotonicMs());
  const common = {
    address: text,
    name: names.find((name) => name !== text) ?? null,
    drained: endpoint.isDrained,
    weight: endpoint.configuredWeight,
    breaker,
    activeConnections: ledger.active,
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
