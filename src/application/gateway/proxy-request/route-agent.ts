import type { AgentSubscription } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { AgentClient } from '../../ports/gateway/agent-client.js';
import type { AgentCallMetrics } from '../../ports/gateway/gateway-metrics.js';

/** An agent of a route. */
export interface RouteAgent {
  readonly client: AgentClient;
  /** What its block subscribes it to. */
  readonly events: ReadonlySet<AgentSubscription>;
  /** `open`: a request that it gives no answer about goes on without it. */
  readonly failureMode: 'closed' | 'open';
  readonly metrics: AgentCallMetrics;
}
