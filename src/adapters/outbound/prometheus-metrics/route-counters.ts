import type { RouteMetrics } from '../../../application/ports/gateway/gateway-metrics.js';
import { LatencyCounts } from './latency-counts.js';
import { metricDefinitions } from './metric-definitions.js';

const isStatus = (status: number): boolean => Number.isInteger(status) && status >= 100 && status <= 599;

/** What is counted of one route. */
export class RouteCounters implements RouteMetrics {
  readonly durations = new LatencyCounts(metricDefinitions.requestDuration.buckets);
  readonly #byStatus = new Map<number, number>();

  finished(status: number, durationSeconds: number): void {
    // A number that is no status would be a series of its own; an upstream can send any three digits.
    const counted = isStatus(status) ? status : 0;
    this.#byStatus.set(counted, (this.#byStatus.get(counted) ?? 0) + 1);
    this.durations.record(durationSeconds);
  }

  /** In rising order of status; 0 stands for what is no status. */
  byStatus(): readonly (readonly [status: number, count: number])[] {
    return [...this.#byStatus].sort(([left], [right]) => left - right);
  }
}
