import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import { type AgentAnswer, allowAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { Result } from '../../../domain/shared/result.js';

/** The answer if the service fails, or its answer cannot be sent: never an allow. */
export const failedAnswer: AgentAnswer = {
  ...allowAnswer,
  decision: { kind: 'block', status: 500, body: null, headers: [] },
};

/** How an agent serves gateways over any transport. Times in milliseconds, sizes in octets. */
export interface SessionOptions {
  /** Interval of health reports. Changes of state are reported immediately. */
  readonly healthIntervalMs: number;
  readonly metricsIntervalMs: number;
  /** From the connection to its handshake request. */
  readonly handshakeTimeoutMs: number;
  /** Maximum octets that all connections of a server buffer: incomplete messages and waiting events. */
  readonly maxHeldBytes: number;
  /** How long output may wait for a peer that does not read. */
  readonly writeTimeoutMs: number;
  /** How long an idle connection stays open while draining, for messages that the gateway has already sent. */
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
 * The transport of one gateway session. No method throws. No method calls the session back before it returns, except
 * with `stalled` and `fail`. The session sends nothing after `end` or `cutOff`.
 */
export interface GatewayConnection {
  /** @param capabilities also part of a refusal */
  sendHandshake(response: HandshakeResponse, capabilities: AgentCapabilities): void;
  /** Null if sent; otherwise why this answer cannot be sent. */
  sendAnswer(answer: AgentAnswer, correlationId: string): string | null;
  /**
   * Reports whether a configuration was applied; the error is the reason to refuse it. Some transports report only one
   * of the two.
   */
  sendConfigured(correlationId: string, outcome: Result<void, string>): void;
  sendHealth(health: AgentHealth): void;
  sendMetrics(report: MetricsReport): void;
  /**
   * The session has capacity again. If it `canTake`, the transport may pass on what it held back. Never called while
   * the transport passes on a message.
   */
  resume(): void;
  /**
   * Closes the connection after all output was sent. Further input is dropped. `cutOff` follows if the peer does not
   * close.
   */
  end(): void;
  /** Closes the connection immediately. @param reason for the peer, if the transport can carry it; contains no input */
  cutOff(reason: string): void;
}
