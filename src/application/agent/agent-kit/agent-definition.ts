import type { AgentState } from '../../../domain/agent-protocol/health.js';
import type { CancelReason, RequestCompleteEvent } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Answer } from './agent-answers.js';
import type { AgentBodyChunk, AgentRequest, AgentResponseHead } from './agent-request.js';

/** An answer, now or later. If it throws or rejects, the request gets 500, never an allow. */
export type AgentReply = Answer | Promise<Answer>;

/** The definition of an agent. The gateway sends the events that have a method here. */
export interface AgentDefinition {
  /** The name in logs and in the gateway. */
  readonly name: string;
  readonly version: string;
  /**
   * Applies the `config` of the gateway's agent block, or null if there is none. Returns a reason to refuse it: the
   * previous configuration then stays. Called before the first event and after each change.
   */
  configure?(config: JsonObject | null): string | undefined | Promise<string | undefined>;
  /** A request, before it is forwarded. */
  requestHeaders?(request: AgentRequest): AgentReply;
  /** A chunk of a request body, after `needBody()`. The last chunk must be decided. */
  requestBodyChunk?(chunk: AgentBodyChunk): AgentReply;
  /** The head of a response, before it goes to the client. */
  responseHeaders?(response: AgentResponseHead): AgentReply;
  /** A chunk of a response body, after `needBody()`. */
  responseBodyChunk?(chunk: AgentBodyChunk): AgentReply;
  /** A request has completed. */
  requestComplete?(summary: RequestCompleteEvent): void | Promise<void>;
  /** The gateway no longer waits for answers to this request. Discard its state. */
  cancelled?(id: string, reason: CancelReason): void;
  /** The health of the agent; the default is healthy. */
  health?(): { readonly state: AgentState; readonly message: string | null };
  /**
   * Counters and gauges in addition to those of the kit, totals since the start. The gateway exposes them as
   * `gateway_agent_<name>`.
   */
  metrics?(): Pick<MetricsReport, 'counters' | 'gauges'>;
}

/** Properties of an agent besides its events. */
export interface AgentTraits {
  /** Unique among all agents of a gateway. */
  readonly agentId: string;
  /**
   * Names of headers, and prefixes ending in `*`, that only this agent may set. The gateway removes them from client
   * requests.
   */
  readonly ownedHeaders: readonly string[];
  /** Maximum concurrent events per connection. */
  readonly maxConcurrency: number;
  /** Maximum octets of a body. */
  readonly maxBodySize: number;
  readonly healthIntervalMs: number;
  readonly metricsIntervalMs: number;
}
