import type {
  AgentCallMetrics,
  MirrorMetrics,
  RouteMetrics,
  UpstreamMetrics,
} from '../../../application/ports/gateway/gateway-metrics.js';
import { type MirrorResult, mirrorResults } from '../../../domain/gateway/route-transforms/mirror.js';
import { metricDefinitions } from './metric-definitions.js';

/** Latency histogram: an array and two numbers, so that an observation is cheap. */
export class LatencyCounts {
  readonly #bounds: readonly number[];
  /** One more than the bounds; the last counts values above all. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds inclusive upper bounds in seconds, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  record(seconds: number): void {
    // A broken clock must not corrupt the sum.
    const value = seconds >= 0 && seconds < Number.POSITIVE_INFINITY ? seconds : 0;
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  /** Counts per bucket, not cumulative. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  get sum(): number {
    return this.#sum;
  }
}

/** Counters of one agent. */
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

/** Counters of one route. */
export class RouteCounters implements RouteMetrics {
  readonly durations = new LatencyCounts(metricDefinitions.requestDuration.buckets);
  readonly #byStatus = new Map<number, number>();

  finished(status: number, durationSeconds: number): void {
    // An invalid status would become its own series; an upstream can send any three digits.
    const counted = isStatus(status) ? status : 0;
    this.#byStatus.set(counted, (this.#byStatus.get(counted) ?? 0) + 1);
    this.durations.record(durationSeconds);
  }

  /** Ascending; 0 stands for an invalid status. */
  byStatus(): readonly (readonly [status: number, count: number])[] {
    return [...this.#byStatus].sort(([left], [right]) => left - right);
  }
}

/** Counters of the copies that mirrors send to one upstream. Every result has a series from the start. */
export class MirrorCounters implements MirrorMetrics {
  readonly byResult = new Map<MirrorResult, number>(mirrorResults.map((result) => [result, 0]));

  ended(result: MirrorResult): void {
    this.byResult.set(result, (this.byResult.get(result) ?? 0) + 1);
  }
}

/** Counters of one upstream. */
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
