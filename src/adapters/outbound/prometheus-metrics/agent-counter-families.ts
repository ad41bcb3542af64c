import type { AgentCallMetrics } from '../../../application/ports/gateway/gateway-metrics.js';
import { LatencyCounts } from './latency-counts.js';
import { metricDefinitions } from './metric-definitions.js';

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
