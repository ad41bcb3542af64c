import { opensOn } from '../../../domain/agent-protocol/failure-rules.js';
import type { AgentFailure } from '../../ports/gateway/agent-client.js';
import type { AgentCallMetrics, GatewayMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { RequestAudit } from '../audit/audit-trail.js';
import type { ProblemAnswerer } from './answer-problem.js';
import type { ExchangeView, StageExchange, StageOutcome } from './exchange.js';
import type { RouteAgent } from './route-agent.js';

export interface FailureModeServices extends AgentLimitReporters {
  readonly problems: ProblemAnswerer;
  readonly audit: RequestAudit;
}

export interface AgentLimitReporters {
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
}

/** The message that the agent was asked about, as the log names it. */
export type InspectedMessage = 'request' | 'response';

/**
 * Handles a request or response for which an agent gave no answer. Failure mode `open` lets it continue without the
 * agent; `closed` answers the client with a problem. A malformed answer never fails open; see `opensOn`.
 */
export const applyFailureMode = (
  exchange: StageExchange<'id' | 'target'>,
  { client, failureMode, metrics }: RouteAgent & { readonly metrics: AgentCallMetrics },
  failure: AgentFailure,
  message: InspectedMessage,
  services: FailureModeServices,
): StageOutcome => {
  const { problems, logger, audit } = services;
  noteAgentLimit(exchange, client.name, failure, services);
  if (failure.code === 'timed_out') metrics.timedOut();
  else metrics.failed();
  const fields = { agent: client.name, reason: failure.code, cause: failure.detail };
  const failsOpen = failureMode === 'open' && opensOn(failure.code);
  audit.undecided(exchange, client.name, failure.code, failsOpen);
  if (failsOpen) {
    metrics.failedOpen();
    logger.warn(`a ${message} continues without an agent`, {
      ...fields,
      correlation_id: exchange.correlationId,
      trace_id: exchange.traceId,
      client_ip: exchange.client.address,
      route: exchange.route?.configuration.id ?? null,
    });
    return 'continue';
  }
  return failure.code === 'timed_out'
    ? problems.answer(exchange, 'agent_timeout', `The agent "${client.name}" did not answer in time.`, fields)
    : problems.answer(exchange, 'agent_unavailable', `The agent "${client.name}" is not available.`, fields);
};

/** Counts and logs a call that failed because of a limit of the gateway. Ignores other failures. */
export const noteAgentLimit = (
  exchange: ExchangeView<'client' | 'correlationId' | 'route' | 'traceId'>,
  agent: string,
  { limit: reached }: AgentFailure,
  { metrics, logger }: AgentLimitReporters,
): void => {
  if (reached === undefined) return;
  const { name, limit, actual } = reached;
  metrics.requestLimitReached(name);
  logger.warn('a call to an agent exceeds a limit', {
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
