/** The state an agent reports; the numbers are those of the wire. */
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

/** What the agent's process uses; null where it does not say. Sizes in octets. */
export interface AgentResources {
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
  readonly memoryLimit: number | null;
  readonly activeThreads: number | null;
  readonly openFds: number | null;
  readonly fdLimit: number | null;
  readonly connections: number | null;
}

/** The feature that our agent names as disabled while it warms up for its first sign-on. */
export const warmingUpFeature = 'single_sign_on';

/** An agent's HealthStatus report. */
export interface AgentHealth {
  readonly agentId: string;
  readonly state: AgentState;
  readonly message: string | null;
  readonly load: AgentLoad | null;
  readonly resources: AgentResources | null;
  /** What a degraded agent does without. */
  readonly disabledFeatures: readonly string[];
  /** How long the report holds, in milliseconds; null where the agent does not say. */
  readonly validForMs: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number;
}
