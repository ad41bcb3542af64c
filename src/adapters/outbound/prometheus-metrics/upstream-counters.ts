import type { UpstreamMetrics } from '../../../application/ports/gateway-metrics.js';

/** What is counted of one upstream. */
export class UpstreamCounters implements UpstreamMetrics {
  attempts = 0;
  failures = 0;

  attempted(): void {
    this.attempts += 1;
  }

  failed(): void {
    this.failures += 1;
  }
}
