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

/** Why a connection, or the attempt to have one, is over. */
export interface ConnectionEnd {
  /**
   * `refused`: the agent does not want this gateway or its configuration, or is not trusted. `given_up`: the gateway has
   * ended it because the agent cannot be told otherwise that nobody waits for a call any more; no fault of the connection.
   */
  readonly kind: 'ended' | 'malformed' | 'refused' | 'given_up';
  /** For the log; never a secret. */
  readonly detail: string;
}

/** Who is told what happens on one connection. Nothing is told after `onEnd`. */
export interface AgentConnectionListener {
  /** The handshake has succeeded. */
  onReady(capabilities: AgentCapabilities): void;
  /** An answer; the error says what is malformed about it. Answers to `configure` do not come here. */
  onAnswer(correlationId: string, answer: Result<AgentAnswer, string>): void;
  onHealth(health: AgentHealth): void;
  onMetrics(report: MetricsReport): void;
  onFlowControl(signal: FlowControl): void;
  onConfigUpdate(request: ConfigUpdateRequest): void;
  onLogLine(line: AgentLogLine): void;
  onUnreadableReport(problem: string): void;
  /** It is busy no more. */
  onRoom(): void;
  /** Called once, whatever happened before. */
  onEnd(end: ConnectionEnd): void;
}

/** One connection to an agent, from the attempt to connect to its end. It keeps time-outs of its own for the handshake and for silence. */
export interface AgentConnection {
  /**
   * Whether no further call should go by it for now: too much output waits for the agent, or the transport carries one
   * call at a time and one is in flight. `onRoom` follows once that is over.
   */
  readonly isBusy: boolean;
  /** Whether what was sent last waits to leave together with what comes now, so that one more event by it costs least. Absent: never. */
  readonly isGathering?: boolean;
  /** False where the event is larger than a message can be. */
  sendEvent(event: AgentEvent): boolean;
  /** A call or a dialogue has been given up. The agent is told only where it has said that it takes that (`features.cancellation`). */
  sendCancel(correlationId: string, reason: CancelReason): void;
  /**
   * Hands over a configuration. `correlationId` must be unique; `version` is the same on every connection by which one change is handed over. Resolves in every case, in bounded time. Where the transport
   * has no answer to it, ok says that it was `sent`; a refusal comes as a ConfigUpdateRequest.
   */
  configure(config: JsonObject | null, correlationId: string, version: string): Promise<ConfigureOutcome>;
  /** Ends it after what is written has left, if that can be waited for; the listener is told before this returns. */
  close(detail: string): void;
}

/** `absent`: there is nothing to connect to. `refused`: there is, and it is not trusted. */
export type ConnectorCheck =
  | { readonly kind: 'ready' }
  | { readonly kind: 'absent'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string };

/** A way to reach one agent. */
export interface AgentConnector {
  /** Whether a connection can be tried. Never rejects. */
  check(): Promise<ConnectorCheck>;
  /** Begins to connect; `config` goes into the handshake. The listener is never called before this has returned. */
  connect(config: JsonObject | null, listener: AgentConnectionListener): AgentConnection;
}
