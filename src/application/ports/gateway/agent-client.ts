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

export type { AgentFailureCode };

export interface AgentFailure {
  readonly code: AgentFailureCode;
  /** For the log; never a secret. */
  readonly detail: string;
  /** The limit of the gateway that the call, or its answer, is over; absent where it failed otherwise. */
  readonly limit?: ReachedLimit;
}

export type AgentOutcome = Result<AgentAnswer, AgentFailure>;

export interface AgentStatus {
  readonly name: string;
  /** `unreachable` where there is no connection that can take a call. */
  readonly state: AgentState | 'unreachable';
  readonly connections: number;
  readonly inFlight: number;
  readonly queueDepth: number;
  /** The report that the state is taken from; null where there is none. */
  readonly health: AgentHealth | null;
  /** Null where the agent has no circuit breaker. */
  readonly breaker: CircuitState | null;
  /** It runs in this process and is still getting ready, so the start of the gateway is not over; absent otherwise. */
  readonly isStarting?: true;
  /** Why it refuses the configuration in force, and goes on with the one before, or this gateway altogether; null where it does not. */
  readonly refusal: string | null;
  /** What its block subscribes it to and it does not take; empty until it has said what it takes. */
  readonly unsupportedEvents: readonly AgentSubscription[];
}

/** `no_answer`: whether the agent has taken the configuration is not known; it gets it with the next connection. */
export interface ConfigureFailure {
  readonly kind: 'refused' | 'no_answer';
  /** For the log; never a secret. */
  readonly reason: string;
}

/** `sent`: the transport has no answer to it, so that all that is known is that it left. Else the agent has taken it. */
export type ConfigureOutcome = Result<'sent' | undefined, ConfigureFailure>;

/** Who is told what an agent reports of itself. */
export interface AgentReportReader {
  /** A report has come: well-formed, and nothing of what it says has been checked. */
  reported(report: MetricsReport): void;
  /** The agent of this id can be reached no more. What it is holds no longer; what it has counted stays counted. */
  ended(agentId: string): void;
}

/** What an agent reports of itself, for the gateway's own metrics. */
export interface AgentMetricsSource {
  /** Who is told from now on; called once, before `start`. */
  reportTo(reader: AgentReportReader): void;
  /** Has an agent in this process tell at once how it is. Agents elsewhere report by themselves. */
  reportNow(): void;
}

/** Who has asked an agent. */
export interface AgentCallListener {
  /**
   * What came of the call. Called once, and never before the call has been made. Must not throw: it is called from where
   * octets are read.
   */
  answered(outcome: AgentOutcome): void;
}

/** What follows a client when another configuration comes into force. */
export interface AgentSuccession {
  /** Another client hands the agent the same configuration, so attempts to connect that calls wait for may finish. */
  readonly sameConfig: boolean;
  /** Another client reports on the agent under the same name, so this one does not report that the agent has ended. */
  readonly hasSuccessor: boolean;
}

/** One agent, as the gateway calls it. Shared by every route that lists it; closed when the last one is gone. */
export interface AgentClient extends AgentMetricsSource {
  readonly name: string;

  /**
   * Asks about an event. Resolves in every case, at the latest when the agent's time-out is over; the time-out counts
   * the wait for a free slot. An answer that is given has been found well-formed. At most one call may be in flight per
   * correlation id. Whoever gives up on a request that an agent wants the body of has to cancel it.
   */
  ask(event: AgentEvent): MaybePromise<AgentOutcome>;

  /** The same without a promise: the outcome where it is there at once; null where the listener is told it later. */
  askFor(event: AgentEvent, listener: AgentCallListener): AgentOutcome | null;

  /** The request is no longer of interest: a call in flight for it ends as `cancelled`, and the agent is told. */
  cancel(correlationId: string, reason: CancelReason): void;

  /**
   * The request is over: nothing more will be asked about it. Has to be told of every request that the agent was asked
   * about, after the last event; a call that is in flight goes on.
   */
  conclude(correlationId: string): void;

  /**
   * Hands over a new configuration, which new connections then begin with; only where the agent refuses it, the old one
   * stays. One that the agent has already changes nothing.
   */
  configure(config: JsonObject | null): Promise<ConfigureOutcome>;

  /** Null until a first handshake has succeeded; then the last one, also while the agent is away. */
  capabilities(): AgentCapabilities | null;

  /** Calls the listener whenever a handshake or a configuration may have changed the capabilities; set once, before `start`. */
  onCapabilities(listener: () => void): void;

  status(): AgentStatus;

  /**
   * Starts connecting, and does not wait for the agent. Calls wait for the outcome of the first attempt, so that a client
   * that takes the place of another loses none; after that they fail by the failure mode while the agent is away.
   */
  start(): void;

  /**
   * Another configuration is in force: the client connects no more and hands over no configuration. Calls continue over
   * the open connections until `stop`.
   */
  retire(next: AgentSuccession): void;

  /** Takes no new call, waits for those in flight up to the grace, then closes. */
  stop(graceMs: number): Promise<void>;
}

/** What the limits of the gateway say about every agent. */
export interface AgentClientLimits {
  /** Calls that may wait for a free place. */
  readonly maxQueueDepth: number;
  /** Octets of an answer, body mutations not counted. */
  readonly maxResponseBytes: number;
}

/** Makes the client for an agent block; waits where code has to be loaded for it. Nothing connects before `start`. */
export type AgentClientFactory = (
  agent: AgentConfiguration,
  limits: AgentClientLimits,
) => AgentClient | Promise<AgentClient>;
