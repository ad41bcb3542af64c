/** Events that an agent can subscribe to, with their wire numbers. */
export const agentEventCodes = {
  request_headers: 1,
  request_body_chunk: 2,
  response_headers: 3,
  response_body_chunk: 4,
  request_complete: 5,
  websocket_frame: 6,
  guardrail_inspect: 7,
  configure: 8,
} as const;
export type AgentEventName = keyof typeof agentEventCodes;

export interface AgentFeatures {
  readonly streamingBody: boolean;
  readonly websocket: boolean;
  readonly guardrails: boolean;
  readonly configPush: boolean;
  readonly metricsExport: boolean;
  readonly cancellation: boolean;
  readonly flowControl: boolean;
  readonly healthReporting: boolean;
  readonly concurrentRequests: number;
}

export interface AgentLimits {
  /** Octets. */
  readonly maxBodySize: number;
  readonly maxConcurrency: number;
  /** Octets. */
  readonly preferredChunkSize: number;
}

/** The capabilities that an agent announces in the handshake. */
export interface AgentCapabilities {
  readonly agentId: string;
  readonly name: string;
  readonly version: string;
  readonly supportedEvents: readonly AgentEventName[];
  readonly features: AgentFeatures;
  readonly limits: AgentLimits;
  /**
   * Header names that only this agent may set; a prefix ends in `*`. The gateway removes them from requests of clients.
   */
  readonly ownedHeaders: readonly string[];
}

export const defaultAgentLimits: AgentLimits = {
  maxBodySize: 10_485_760,
  maxConcurrency: 100,
  preferredChunkSize: 65_536,
};
