import type { RouteAgent } from '../../../src/application/gateway/proxy-request/route-agent.js';
import type { AgentClient } from '../../../src/application/ports/gateway/agent-client.js';
import type { AgentCallMetrics } from '../../../src/application/ports/gateway/gateway-metrics.js';
import {
  type AgentSubscription,
  agentSubscriptions,
} from '../../../src/domain/gateway/configuration/gateway-configuration.js';

/** What was counted of the calls to one agent. */
export class CountedCalls implements AgentCallMetrics {
  /** Seconds. */
  readonly latencies: number[] = [];
  readonly others: string[] = [];

  answered(latencySeconds: number): void {
    this.latencies.push(latencySeconds);
  }

  timedOut(): void {
    this.others.push('timed_out');
  }

  failed(): void {
    this.others.push('failed');
  }

  failedOpen(): void {
    this.others.push('failed_open');
  }
}

/** An agent of a route, subscribed to everything where the test says nothing else. */
export const routeAgent = <Client extends AgentClient>(
  client: Client,
  events: readonly AgentSubscription[] = agentSubscriptions,
): RouteAgent & { readonly client: Client; readonly metrics: CountedCalls } => ({
  client,
  events: new Set(events),
  failureMode: 'closed',
  metrics: new CountedCalls(),
});
