import type { AgentState } from '../../../domain/agent-protocol/health.js';
import type { CancelReason, RequestCompleteEvent } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Answer } from './agent-answers.js';
import type { AgentBodyChunk, AgentRequest, AgentResponseHead } from './agent-request.js';

/** An answer now or later. What rejects or throws is answered with 500: never with an allow. */
export type AgentReply = Answer | Promise<Answer>;

/** What an agent is. The gateway is told to send those events that there is a method for. */
export interface AgentDefinition {
  /** How logs and gateways call it. */
  readonly name: string;
  readonly version: string;
  /**
   * Takes the `config` of the gateway's agent block, null where it has none. A text that is given back is the reason
   * why it is refused: then the one before stays. Called before the first event, and again whenever it has changed.
   */
  configure?(config: JsonObject | null): string | undefined | Promise<string | undefined>;
  /** A request, before it goes to its upstream. */
  requestHeaders?(request: AgentRequest): AgentReply;
  /** A piece of the body of a request whose head was answered with `needBody()`. The last one has to be decided. */
  requestBodyChunk?(chunk: AgentBodyChunk): AgentReply;
  /** The head of a response, before the client gets it. */
  responseHeaders?(response: AgentResponseHead): AgentReply;
  /** A piece of the body of a response whose head was answered with `needBody()`. */
  responseBodyChunk?(chunk: AgentBodyChunk): AgentReply;
  /** A request is over. */
  requestComplete?(summary: RequestCompleteEvent): void | Promise<void>;
  /** Nobody waits for the answers to this request any more; what is kept for it can go. */
  cancelled?(id: string, reason: CancelReason): void;
  /** How it is; healthy where this is missing. */
  health?(): { readonly state: AgentState; readonly message: string | null };
  /**
   * Counters and gauges beside those of the kit, totals since the start. The gateway shows them as
   * `gateway_agent_<name>`.
   */
  metrics?(): Pick<MetricsReport, 'counters' | 'gauges'>;
}

/** What beside its events is known of an agent. */
export interface AgentTraits {
  /** Unique among all agents that a gateway talks to. */
  readonly agentId: string;
  /**
   * Names of headers, and prefixes ending in `*`, that only this agent may set: the gateway takes them out of what
   * clients send.
   */
  readonly ownedHeaders: readonly string[];
  /** Events that it takes at a time from each connection. */
  readonly maxConcurrency: number;
  /** Octets of a body that it takes. */
  readonly maxBodySize: number;
  readonly healthIntervalMs: number;
  readonly metricsIntervalMs: number;
}
