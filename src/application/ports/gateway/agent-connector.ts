import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import type { ConfigureOutcome } from './agent-client.js';

/** Why a connection, or an attempt to connect, ended. */
export interface ConnectionEnd {
  /**
   * `refused`: the agent rejects this gateway or its configuration, or is not trusted. `given_up`:
   * the gateway closed the connection because the protocol has no other way to cancel a call; not a
   * failure.
   */
  readonly kind: 'ended' | 'malformed' | 'refused' | 'given_up';
  /** For the log; never a secret. */
  readonly detail: string;
}

/** Receives the events of one connection; none after `onEnd`. */
export interface AgentConnectionListener {
  /** The handshake succeeded. */
  onReady(capabilities: AgentCapabilities): void;
  /** An answer; the error says what is malformed. Replies to `configure` are not reported here. */
  onAnswer(correlationId: string, answer: Result<AgentAnswer, string>): void;
  onHealth(health: AgentHealth): void;
  onMetrics(report: MetricsReport): void;
  onFlowControl(signal: FlowControl): void;
  onConfigUpdate(request: ConfigUpdateRequest): void;
  onLogLine(line: AgentLogLine): void;
  onUnreadableReport(problem: string): void;
  /** `isBusy` has become false. */
  onRoom(): void;
  /** Called exactly once. */
  onEnd(end: ConnectionEnd): void;
}

/**
 * A connection to an agent, from the attempt to its end. It has timeouts for the handshake and for
 * silence.
 */
export interface AgentConnection {
  /**
   * Whether the connection should get no further call now: its output buffer is full, or its
   * transport carries one call at a time. `onRoom` follows.
   */
  readonly isBusy: boolean;
  /**
   * Whether the connection is batching its output, so that one more event is cheapest here. Absent:
   * never.
   */
  readonly isGathering?: boolean;
  /** False if the event exceeds the maximum message size. */
  sendEvent(event: AgentEvent): boolean;
  /**
   * Cancels a call or a dialogue. Sent only to agents with the capability `features.cancellation`.
   */
  sendCancel(correlationId: string, reason: CancelReason): void;
  /**
   * Sends a configuration. `correlationId` is unique; `version` is the same on all connections for
   * one change. Always resolves, in bounded time.
   * Without a reply in the transport, success is `sent`, and a rejection arrives as a
   * ConfigUpdateRequest.
   */
  configure(config: JsonObject | null, correlationId: string, version: string): Promise<ConfigureOutcome>;
  /**
   * Closes the connection after flushing its output if possible. Calls the listener before it
   * returns.
   */
  close(detail: string): void;
}

/** `absent`: nothing to connect to. `refused`: it exists but is not trusted. */
export type ConnectorCheck =
  | { readonly kind: 'ready' }
  | { readonly kind: 'absent'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string };

/** Connects to one agent. */
export interface AgentConnector {
  /** Whether a connection can be attempted. Never rejects. */
  check(): Promise<ConnectorCheck>;
  /**
   * Starts to connect; the handshake carries `config`. Never calls the listener before it returns.
   */
  connect(config: JsonObject | null, listener: AgentConnectionListener): AgentConnection;
}
