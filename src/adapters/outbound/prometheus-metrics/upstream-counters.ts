import type {
  AgentCallMetrics,
  RouteMetrics,
  UpstreamMetrics,
} from '../../../application/ports/gateway/gateway-metrics.js';
import { metricDefinitions } from './metric-definitions.js';

/** Counts of latencies by bucket: an array and two numbers, so that counting one costs next to nothing. */
export class LatencyCounts {
  readonly #bounds: readonly number[];
  /** One more than the bounds: the last is of all that is over them. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds upper bounds in seconds, inclusive, rising */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  record(seconds: number): void {
    // A clock that fails must not spoil the sum for good.
    const value = seconds >= 0 && seconds < Number.POSITIVE_INFINITY ? seconds : 0;
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  /** Of each bucket by itself. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  get sum(): number {
    return this.#sum;
  }
}

/** What is counted of the calls to one agent. */
export class AgentCounterFamilies implements AgentCallMetrics {
  readonly latencies = new LatencyCounts(metricDefinitions.agentLatency.buckets);
  timeouts = 0;
  failures = 0;
  failuresOpen = 0;

  answered(latencySeconds: number): void {
    this.latencies.record(latencySeconds);
  }

  timedOut(): void {
    this.timeouts += 1;
  }

  failed(): void {
    this.failures += 1;
  }

  failedOpen(): void {
    this.failuresOpen += 1;
  }
}

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

/** What is counted of one upstream. */
export class UpstreamCounters implements UpstreamMetrics {
  attempts = 0;
  failures = 0;
  retries = 0;
  refusedRetries = 0;
  exhaustions = 0;

  attempted(): void {
    this.attempts += 1;
  }

  failed(): void {
    this.failures += 1;
  }

  retried(): void {
    this.retries += 1;
  }

  retryRefused(): void {
    this.refusedRetries += 1;
  }

  poolExhausted(): void {
    this.exhaustions += 1;
  }
}
