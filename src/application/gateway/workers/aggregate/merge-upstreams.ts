import type { TargetStatus, UpstreamStatus } from '../../../ports/gateway/gateway-state.js';
import { mergedBy, sumOf, worstBreaker } from './merged.js';

type Targets = readonly [TargetStatus, ...TargetStatus[]];

const sinceMs = ({ unhealthySinceMs }: TargetStatus): number => unhealthySinceMs ?? Number.NEGATIVE_INFINITY;

/** What was wrong last, and since when anything is. */
const illness = (targets: Targets): Pick<TargetStatus, 'lastError' | 'unhealthySinceMs'> => {
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
  ...illness(targets),
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
 * The upstreams with their targets. Each worker judges for itself: a target is well where it is so for every worker, so that
 * none that fails is hidden by others. Requests add up.
 */
export const mergeUpstreams = (ofWorkers: readonly (readonly UpstreamStatus[])[]): readonly UpstreamStatus[] =>
  mergedBy(ofWorkers.flat(), ({ name }) => name, mergeUpstream);
