import type { PoolFigures } from '../../ports/gateway/gateway-metrics.js';
import type { Endpoint } from './endpoint.js';

/** One figure for each target of each upstream. */
export const sumPools = (figures: readonly PoolFigures[]): readonly PoolFigures[] => {
  const pools = new Map<string, PoolFigures>();
  for (const { upstream, target, size, idle, waiting } of figures) {
    const key = `${upstream} ${target}`;
    const known = pools.get(key);
    pools.set(key, {
      upstream,
      target,
      size: (known?.size ?? 0) + size,
      idle: (known?.idle ?? 0) + idle,
      waiting: (known?.waiting ?? 0) + waiting,
    });
  }
  return [...pools.values()];
};

/** The connections of each target, under the name that it has in the configuration: addresses come and go. */
export const poolFigures = (upstream: string, endpoints: readonly Endpoint[]): readonly PoolFigures[] =>
  sumPools(
    endpoints.map(({ client, target }) => {
      const { activeConnections, idleConnections, waitingRequests } = client.figures();
      return {
        upstream,
        target: target.authority,
        size: activeConnections + idleConnections,
        idle: idleConnections,
        waiting: waitingRequests,
      };
    }),
  );
