import type { GatewayGauges } from '../../../ports/gateway/gateway-metrics.js';
import type { WholeMetrics } from './gathering-topics.js';
import { sumOf } from './merged.js';

/** The gauges of the whole gateway, as they were when it was asked. */
export const wholeGauges = ({ snapshot, pools, agentFamilies }: WholeMetrics): GatewayGauges => ({
  openConnections: () => sumOf(snapshot.connections, ({ open }) => open),
  requestsInFlight: () => snapshot.requestsInFlight,
  pools: () => pools,
  memoryBytes: () =>
    sumOf(snapshot.workers, ({ memory }) => memory.residentBytes) + (snapshot.supervisor?.memory.residentBytes ?? 0),
  workers: () => snapshot.workers,
  missingWorkers: () => snapshot.missingWorkers,
  requestsQueued: () => snapshot.requestsQueued,
  upstreams: () => snapshot.upstreams,
  routeBreakers: () => snapshot.routeBreakers,
  rateLimiterKeys: () => snapshot.rateLimiterKeys,
  isRateLimitStoreUp: () => snapshot.isRateLimitStoreUp,
  memoryLimit: () => snapshot.memoryLimit,
  agents: () => snapshot.agents,
  agentFamilies: () => agentFamilies,
});
