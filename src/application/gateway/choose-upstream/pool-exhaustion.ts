import type { PoolFigures, UpstreamMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';
import { OncePerPeriod } from '../../shared/once-per-period.js';
import type { Endpoint } from './endpoint.js';

/** Sums the figures per target of each upstream. */
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

/** The connections of each target, by its configured name, because addresses change. */
export const poolFigures = (upstream: string, endpoints: readonly Endpoint[]): readonly PoolFigures[] =>
  sumPools(
    endpoints.map(({ client, name }) => {
      const { activeConnections, idleConnections, waitingRequests } = client.figures();
      return {
        upstream,
        target: name,
        size: activeConnections + idleConnections,
        idle: idleConnections,
        waiting: waitingRequests,
      };
    }),
  );

/** Minimum interval between log lines about the pools of one upstream; milliseconds. */
export const exhaustionLineMs = 60_000;

/** Counts requests that must wait because every connection to the target is busy. Logs this at most once per minute. */
export class PoolExhaustion {
  readonly #upstream: string;
  readonly #maxConnections: number;
  readonly #counters: UpstreamMetrics;
  readonly #logger: Logger;
  readonly #lines: OncePerPeriod;

  constructor(
    { name, maxConnections }: { readonly name: string; readonly maxConnections: number },
    { counters, clock, logger }: { readonly counters: UpstreamMetrics; readonly clock: Clock; readonly logger: Logger },
  ) {
    this.#upstream = name;
    this.#maxConnections = maxConnections;
    this.#counters = counters;
    this.#logger = logger;
    this.#lines = new OncePerPeriod(clock, exhaustionLineMs);
  }

  note(target: string): void {
    this.#counters.poolExhausted();
    const leftOut = this.#lines.take();
    if (leftOut === null) return;
    this.#logger.warn('every connection to a target is busy: requests wait. Raise max-connections, or add a target', {
      upstream: this.#upstream,
      target,
      limit_name: 'max-connections',
      limit: this.#maxConnections,
      requests_left_out: leftOut,
    });
  }
}
