import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { AgentFailureCode } from '../../../domain/agent-protocol/failure-rules.js';
import type { AgentHealth, AgentState } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { CircuitState } from '../../../domain/gateway/circuit-breaking/circuit-breaker.js';
import type {
  AgentConfiguration,
  AgentSubscription,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import type { ReachedLimit } from '../../../domain/gateway/limits/limit-violation.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { MaybePromise } from '../shared/maybe-promise.js';
import type { SessionAdministration } from '../shared/session-administration.js';

export type { AgentFailureCode };

export interface AgentFailure {
  readonly code: AgentFailureCode;
  /** For the log; never a secret. */
  readonly detail: string;
  /** The gateway limit that the call or its answer exceeds; absent for other failures. */
  readonly limit?: ReachedLimit;
}

export type AgentOutcome = Result<AgentAnswer, AgentFailure>;

export interface AgentStatus {
  readonly name: string;
  /** `unreachable`: no connection can carry a call. */
  readonly state: AgentState | 'unreachable';
  readonly connections: number;
  readonly inFlight: number;
  readonly queueDepth: number;
  /** The last health report; null if there is none. */
  readonly health: AgentHealth | null;
  /** Null if the agent has no circuit breaker. */
  readonly breaker: CircuitState | null;
  /**
   * The agent runs in this process and is not ready yet, so the gateway is still starting; absent
   * otherwise.
   */
  readonly isStarting?: true;
  /**
   * Why the agent rejects the current configuration (and keeps the previous one) or this gateway;
   * null if it does not.
   */
  readonly refusal: string | null;
  /** Subscribed events that the agent does not support; empty until its capabilities are known. */
  readonly unsupportedEvents: readonly AgentSubscription[];
}

/**
 * `no_answer`: unknown whether the agent applied the configuration. It gets the configuration with
 * its next connection.
 */
export interface ConfigureFailure {
  readonly kind: 'refused' | 'no_answer';
  /** For the log; never a secret. */
  readonly reason: string;
}

/**
 * `sent`: the transport has no reply, so only the sending is known. Otherwise the agent has applied
 * it.
 */
export type ConfigureOutcome = Result<'sent' | undefined, ConfigureFailure>;

/** Receives the metric reports of agents. */
export interface AgentReportReader {
  /** A well-formed report has arrived. Its content is not checked yet. */
  reported(report: MetricsReport): void;
  /** The agent is unreachable: its gauges no longer hold, its counters stay. */
  ended(agentId: string): void;
}

/** The metric reports of an agent, for the gateway's own metrics. */
export interface AgentMetricsSource {
  /** Sets the reader; called once, before `start`. */
  reportTo(reader: AgentReportReader): void;
  /** Makes an agent in this process report at once. Other agents report on their own schedule. */
  reportNow(): void;
}

/** Receives the outcome of an agent call. */
export interface AgentCallListener {
  /**
   * Called once with the outcome, never during the call. Must not throw: it runs inside the reader
   * of the socket.
   */
  answered(outcome: AgentOutcome): void;
}

/** What replaces a client when a new configuration comes into force. */
export interface AgentSuccession {
  /**
   * A new client sends the agent the same configuration. Connection attempts that calls wait for
   * may finish.
   */
  readonly sameConfig: boolean;
  /** A new client reports the agent under the same name, so this client does not report its end. */
  readonly hasSuccessor: boolean;
}

/**
 * The gateway's client for one agent. All routes that list the agent share it; it closes with the
 * last one.
 */
export interface AgentClient extends AgentMetricsSource {
  readonly name: string;

  /**
   * Sends an event and returns the agent's well-formed answer. Always resolves, at the latest at
   * the agent's timeout, which includes the wait for a free slot.
   * At most one call per correlation id may be in flight. To give up a request whose body the agent
   * wants, call `cancel`.
   */
  ask(event: AgentEvent): MaybePromise<AgentOutcome>;

  /**
   * Like `ask`, without a promise. Returns an immediate outcome; null: the listener gets it later.
   */
  askFor(event: AgentEvent, listener: AgentCallListener): AgentOutcome | null;

  /** Cancels a request. A call in flight ends as `cancelled`, and the agent is notified. */
  cancel(correlationId: string, reason: CancelReason): void;

  /**
   * Ends a request after its last event. Required for every request that the agent was called for.
   * Calls in flight continue.
   */
  conclude(correlationId: string): void;

  /**
   * Sends a new configuration, which later connections begin with. If the agent rejects it, the
   * previous one stays. An equal configuration has no effect.
   */
  configure(config: JsonObject | null): Promise<ConfigureOutcome>;

  /**
   * Null before the first successful handshake; then the last known ones, even while disconnected.
   */
  capabilities(): AgentCapabilities | null;

  /**
   * Sets the listener for possible changes of capabilities, by handshake or configuration. Called
   * once, before `start`.
   */
  onCapabilities(listener: () => void): void;

  status(): AgentStatus;

  /** The sessions of the agent; null or absent: it has none, or none that the gateway can administer. */
  sessions?(): SessionAdministration | null;

  /**
   * Starts connecting without waiting. Calls wait for the first attempt, so that a replacement
   * client loses none. Later, while disconnected, calls fail by the failure mode.
   */
  start(): void;

  /**
   * A new configuration is in force: this client stops connecting and configuring. Calls continue
   * on open connections until `stop`.
   */
  retire(next: AgentSuccession): void;

  /** Rejects new calls, waits for calls in flight within the grace period, then closes. */
  stop(graceMs: number): Promise<void>;
}

/** The gateway's limits for every agent. */
export interface AgentClientLimits {
  /** Maximum number of calls that wait for a slot. */
  readonly maxQueueDepth: number;
  /** Maximum size of an answer in octets, without body mutations. */
  readonly maxResponseBytes: number;
}

/**
 * Creates the client of an agent block. A promise while its code loads. Connects only after
 * `start`.
 */
export type AgentClientFactory = (
  agent: AgentConfiguration,
  limits: AgentClientLimits,
) => AgentClient | Promise<AgentClient>;
