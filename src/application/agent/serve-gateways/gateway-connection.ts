import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import { type AgentAnswer, allowAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { Result } from '../../../domain/shared/result.js';

/** What is said where the service failed, or its answer cannot be sent: never an allow. */
export const failedAnswer: AgentAnswer = {
  ...allowAnswer,
  decision: { kind: 'block', status: 500, body: null, headers: [] },
};

/** How an agent serves gateways, whatever the transport. Times in milliseconds, sizes in octets. */
export interface SessionOptions {
  /** Between two health reports; changes of state are reported at once. */
  readonly healthIntervalMs: number;
  readonly metricsIntervalMs: number;
  /** From the connection to its handshake request. */
  readonly handshakeTimeoutMs: number;
  /** What all connections of one server together may hold of unfinished messages and of events that wait. */
  readonly maxHeldBytes: number;
  /** How long output may wait for a peer that does not read. */
  readonly writeTimeoutMs: number;
  /** How long an idle connection is kept while draining, for what the gateway has already sent. */
  readonly drainLingerMs: number;
}

export const defaultSessionOptions: SessionOptions = {
  healthIntervalMs: 5_000,
  metricsIntervalMs: 10_000,
  handshakeTimeoutMs: 5_000,
  maxHeldBytes: 64 * 1_048_576,
  writeTimeoutMs: 30_000,
  drainLingerMs: 250,
};

/**
 * What a transport does for the session of one gateway. None of it throws, and none of it calls the session back
 * before it has returned, but for `stalled` and `fail`. A session sends nothing after `end` or `cutOff`.
 */
export interface GatewayConnection {
  /** @param capabilities what the agent calls itself, in a refusal too */
  sendHandshake(response: HandshakeResponse, capabilities: AgentCapabilities): void;
  /** Null once it is on its way; otherwise why this answer cannot be sent, and nothing of it was. */
  sendAnswer(answer: AgentAnswer, correlationId: string): string | null;
  /**
   * What became of a configuration that was handed over; the error says why it is refused. Not every transport has an
   * answer for both.
   */
  sendConfigured(correlationId: string, outcome: Result<void, string>): void;
  sendHealth(health: AgentHealth): void;
  sendMetrics(report: MetricsReport): void;
  /**
   * The session lets go of something: if it `canTake` now, what the transport has held back may come. Never called
   * while the transport hands a message over.
   */
  resume(): void;
  /**
   * Ends it after what is written has left. What still comes is read and dropped; `cutOff` follows where the peer
   * does not end it.
   */
  end(): void;
  /** Ends it at once. @param reason for the peer, where the transport can say it; quotes nothing that came */
  cutOff(reason: string): void;
}
