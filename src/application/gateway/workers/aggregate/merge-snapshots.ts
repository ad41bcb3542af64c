import type { AgentHealth } from '../../../../domain/agent-protocol/health.js';
import type { AgentStatus } from '../../../ports/gateway/agent-client.js';
import type { GatewaySnapshot } from '../../../ports/gateway/gateway-cluster.js';
import type {
  GatewayPhase,
  GatewayState,
  MemoryLimitStatus,
  ReloadFigures,
  TargetStatus,
  UpstreamStatus,
} from '../../../ports/gateway/gateway-state.js';
import { mergeAgents } from './merge-agents.js';
import { firstOf, mergedBy, sumOf, worstBreaker, worstOf } from './merged.js';

/** Limits for texts of an agent: characters of each, and number of features. */
const maximumText = 500;
const maximumFeatures = 32;

const bounded = (text: string): string => text.slice(0, maximumText);

const boundedHealth = (health: AgentHealth): AgentHealth => ({
  ...health,
  message: health.message === null ? null : bounded(health.message),
  disabledFeatures: health.disabledFeatures.slice(0, maximumFeatures).map(bounded),
});

const boundedAgent = (agent: AgentStatus): AgentStatus => ({
  ...agent,
  refusal: agent.refusal === null ? null : bounded(agent.refusal),
  health: agent.health === null ? null : boundedHealth(agent.health),
});

/** The snapshot of one process. */
export const snapshotOf = (state: GatewayState): GatewaySnapshot => ({
  phase: state.phase(),
  reloads: state.reloads(),
  connections: state.connections(),
  requestsInFlight: state.requestsInFlight(),
  requestsInFlightByRoute: state.requestsInFlightByRoute(),
  requestsQueued: state.requestsQueued(),
  agents: state.agents().map(boundedAgent),
  upstreams: state.upstreams(),
  workers: state.workers(),
  routeBreakers: state.routeBreakers(),
  rateLimiterKeys: state.rateLimiterKeys(),
  isRateLimitStoreUp: state.isRateLimitStoreUp(),
  certificates: state.certificates(),
  memoryLimit: state.memoryLimit(),
  supervisor: null,
  restarts: [],
  missingWorkers: [],
  isPartial: false,
});

type Targets = readonly [TargetStatus, ...TargetStatus[]];

const sinceMs = ({ unhealthySinceMs }: TargetStatus): number => unhealthySinceMs ?? Number.NEGATIVE_INFINITY;

/** The latest error, and the time since which any worker sees the target as unhealthy. */
const unhealthiness = (targets: Targets): Pick<TargetStatus, 'lastError' | 'unhealthySinceMs'> => {
  const [first, ...others] = targets.filter(({ healthy }) => !healthy);
  if (first === undefined) return { lastError: targets[0].lastError, unhealthySinceMs: targets[0].unhealthySinceMs };
  const last = others.reduce((latest, target) => (sinceMs(target) > sinceMs(latest) ? target : latest), first);
  const since = [first, ...others].flatMap(({ unhealthySinceMs }) => unhealthySinceMs ?? []);
  return { lastError: last.lastError, unhealthySinceMs: since.length === 0 ? null : Math.min(...since) };
};

const mergeTarget = (targets: Targets): TargetStatus => ({
  address: targets[0].address,
  name: targets[0].name,
  healthy: targets.every(({ healthy }) => healthy),
  drained: targets.some(({ drained }) => drained),
  weight: targets[0].weight,
  breaker: worstBreaker(targets.map(({ breaker }) => breaker)),
  activeConnections: sumOf(targets, ({ activeConnections }) => activeConnections),
  totalRequests: sumOf(targets, ({ totalRequests }) => totalRequests),
  failedRequests: sumOf(targets, ({ failedRequests }) => failedRequests),
  ...unhealthiness(targets),
});

const mergeUpstream = (upstreams: readonly [UpstreamStatus, ...UpstreamStatus[]]): UpstreamStatus => ({
  name: upstreams[0].name,
  targets: mergedBy(
    upstreams.flatMap(({ targets }) => targets),
    ({ address, name }) => JSON.stringify([address, name]),
    mergeTarget,
  ),
});

/**
 * Merges the upstreams with their targets. A target is healthy if it is healthy for every worker, so that no failure is
 * hidden. Requests are summed.
 */
const mergeUpstreams = (ofWorkers: readonly (readonly UpstreamStatus[])[]): readonly UpstreamStatus[] =>
  mergedBy(ofWorkers.flat(), ({ name }) => name, mergeUpstream);

type Snapshots = readonly [GatewaySnapshot, ...GatewaySnapshot[]];

const bestToWorst: readonly GatewayPhase[] = ['running', 'replaced', 'starting', 'draining'];

const phaseOf = ([first, ...others]: Snapshots): GatewayPhase =>
  worstOf(bestToWorst, [first.phase, ...others.map(({ phase }) => phase)]);

/** The latest figures, because a worker may not have swapped yet. */
const reloadsOf = (snapshots: Snapshots): ReloadFigures =>
  snapshots.reduce((most: ReloadFigures, { reloads }) => {
    if (reloads.count !== most.count) return reloads.count > most.count ? reloads : most;
    return reloads.lastLoadMs > most.lastLoadMs ? reloads : most;
  }, snapshots[0].reloads);

const memoryLimitOf = (snapshots: Snapshots): MemoryLimitStatus | null => {
  const [first, ...others] = snapshots.flatMap(({ memoryLimit }) => memoryLimit ?? []);
  if (first === undefined) return null;
  const all = [first, ...others];
  return {
    limitBytes: Math.max(...all.map(({ limitBytes }) => limitBytes)),
    isShort: all.some(({ isShort }) => isShort),
  };
};

const keysOf = (snapshots: Snapshots): Readonly<Record<string, number>> => {
  const sums = new Map<string, number>();
  for (const { rateLimiterKeys } of snapshots) {
    for (const [limit, keys] of Object.entries(rateLimiterKeys)) sums.set(limit, (sums.get(limit) ?? 0) + keys);
  }
  return Object.fromEntries(sums);
};

const inOrder = (snapshots: Snapshots): Snapshots =>
  [...snapshots].sort(
    (left, right) => (left.workers[0]?.id ?? 0) - (right.workers[0]?.id ?? 0),
  ) as unknown as Snapshots;

/**
 * Merges the snapshots of several workers; a single snapshot stays as it is. The result is in the order of the workers'
 * numbers, for any order of snapshots.
 */
export const mergeSnapshots = (given: Snapshots): GatewaySnapshot => {
  const snapshots = inOrder(given);
  return {
    phase: phaseOf(snapshots),
    reloads: reloadsOf(snapshots),
    connections: mergedBy(
      snapshots.flatMap(({ connections }) => connections),
      ({ listener }) => listener,
      (same) => ({ listener: same[0].listener, open: sumOf(same, ({ open }) => open) }),
    ),
    requestsInFlight: sumOf(snapshots, ({ requestsInFlight }) => requestsInFlight),
    requestsInFlightByRoute: mergedBy(
      snapshots.flatMap(({ requestsInFlightByRoute }) => requestsInFlightByRoute),
      ({ route }) => route,
      (same) => ({ route: same[0].route, inFlight: sumOf(same, ({ inFlight }) => inFlight) }),
    ),
    requestsQueued: sumOf(snapshots, ({ requestsQueued }) => requestsQueued),
    agents: mergeAgents(snapshots.map(({ agents }) => agents)),
    upstreams: mergeUpstreams(snapshots.map(({ upstreams }) => upstreams)),
    workers: snapshots.flatMap(({ workers }) => workers),
    routeBreakers: mergedBy(
      snapshots.flatMap(({ routeBreakers }) => routeBreakers),
      ({ route }) => route,
      (same) => ({ route: same[0].route, state: worstBreaker(same.map(({ state }) => state)) ?? same[0].state }),
    ),
    rateLimiterKeys: keysOf(snapshots),
    isRateLimitStoreUp: snapshots.every(({ isRateLimitStoreUp }) => isRateLimitStoreUp),
    // A worker may still use an old file.
    certificates: mergedBy(
      snapshots.flatMap(({ certificates }) => certificates),
      ({ use, name, subject }) => JSON.stringify([use, name, subject]),
      (same) => ({ ...same[0], expiryMs: Math.min(...same.map(({ expiryMs }) => expiryMs)) }),
    ),
    memoryLimit: memoryLimitOf(snapshots),
    supervisor: firstOf(snapshots.map(({ supervisor }) => supervisor)),
    restarts: snapshots.flatMap(({ restarts }) => restarts),
    missingWorkers: snapshots.flatMap(({ missingWorkers }) => missingWorkers),
    isPartial: snapshots.some(({ isPartial }) => isPartial),
  };
};
