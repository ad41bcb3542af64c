import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { AgentSubscription } from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { AgentClient, AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { AgentCallMetrics } from '../../ports/gateway/gateway-metrics.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { MaybePromise } from '../../ports/shared/maybe-promise.js';
import type { PartTrace, RequestTrace } from '../trace/request-tracing.js';

/** An agent of a route. */
export interface RouteAgent {
  readonly client: AgentClient;
  /** The events that the agent's block subscribes to. */
  readonly events: ReadonlySet<AgentSubscription>;
  /** `open`: a request continues without the agent if it gives no answer. */
  readonly failureMode: 'closed' | 'open';
  readonly metrics: AgentCallMetrics;
}

/** Sends one event to an agent. Records the duration of the answer, and traces the call as a span. */
export const askAgent = (
  { client, metrics }: RouteAgent,
  event: AgentEvent,
  clock: Clock,
  trace: RequestTrace | null,
): MaybePromise<AgentOutcome> => {
  const startedMs = clock.monotonicMs();
  const part = trace === null ? null : trace.agentCall(client.name, event.kind);
  const asked = client.ask(event);
  if (!(asked instanceof Promise)) return noteOutcome(asked, metrics, clock, startedMs, part);
  return asked.then((outcome) => noteOutcome(outcome, metrics, clock, startedMs, part));
};

/** Records the duration of an answer, and ends the span of the call. */
export const noteOutcome = (
  outcome: AgentOutcome,
  metrics: AgentCallMetrics,
  clock: Clock,
  startedMs: number,
  part: PartTrace | null,
): AgentOutcome => {
  part?.end(null, outcome.ok ? null : outcome.error.code);
  if (outcome.ok) metrics.answered((clock.monotonicMs() - startedMs) / 1000);
  return outcome;
};
