import type { UpstreamMetrics } from '../../../application/ports/gateway/gateway-metrics.js';

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
