/** States of an agent, with their wire numbers. */
export const agentStateCodes = { healthy: 1, degraded: 2, draining: 3, unhealthy: 4 } as const;
export type AgentState = keyof typeof agentStateCodes;

export interface AgentLoad {
  readonly inFlight: number;
  readonly queueDepth: number;
  readonly avgLatencyMs: number;
  readonly p50LatencyMs: number;
  readonly p95LatencyMs: number;
  readonly p99LatencyMs: number;
  readonly requestsProcessed: number;
  readonly requestsRejected: number;
  readonly requestsTimedOut: number;
}

/** Resource usage of the agent's process; null: unknown. Sizes are in octets. */
export interface AgentResources {
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
  readonly memoryLimit: number | null;
  readonly activeThreads: number | null;
  readonly openFds: number | null;
  readonly fdLimit: number | null;
  readonly connections: number | null;
}

/** The feature that the auth agent reports as disabled while it warms up for its first sign-on. */
export const warmingUpFeature = 'single_sign_on';

/** An agent's HealthStatus report. */
export interface AgentHealth {
  readonly agentId: string;
  readonly state: AgentState;
  readonly message: string | null;
  readonly load: AgentLoad | null;
  readonly resources: AgentResources | null;
  /** Features that a degraded agent does not provide. */
  readonly disabledFeatures: readonly string[];
  /** Validity of the report, in milliseconds; null: unknown. */
  readonly validForMs: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
}
