import type { AgentFailure } from '../../ports/gateway/agent-client.js';
import type { GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Exchange } from './exchange.js';

export interface AgentLimitDependencies {
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
}

/**
 * Counts a call that failed by a limit of the gateway, and says so in the log as of every limit; nothing where it failed
 * otherwise. What becomes of the request is not decided here.
 */
export const noteAgentLimit = (
  exchange: Exchange,
  agent: string,
  { limit: reached }: AgentFailure,
  { metrics, logger }: AgentLimitDependencies,
): void => {
  if (reached === undefined) return;
  const { name, limit, actual } = reached;
  metrics.requestLimitReached(name);
  logger.warn('a call to an agent is over a limit', {
    agent,
    limit,
    limit_name: name,
    actual,
    client_ip: exchange.client.address,
    trace_id: exchange.traceId,
    correlation_id: exchange.correlationId,
    route: exchange.route?.configuration.id ?? null,
  });
};
