import type { AgentCapabilities } from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import type { Result } from '../../../domain/shared/result.js';

/**
 * What a transport does for the session of one gateway. None of it throws, and none of it calls the session back before it
 * has returned, but for `stalled` and `fail`. A session sends nothing after `end` or `cutOff`.
 */
export interface GatewayConnection {
  /** @param capabilities what the agent calls itself, in a refusal too */
  sendHandshake(response: HandshakeResponse, capabilities: AgentCapabilities): void;
  /** Null once it is on its way; otherwise why this answer cannot be sent, and nothing of it was. */
  sendAnswer(answer: AgentAnswer, correlationId: string): string | null;
  /** What became of a configuration that was handed over; the error says why it is refused. Not every transport has an answer for both. */
  sendConfigured(correlationId: string, outcome: Result<void, string>): void;
  sendHealth(health: AgentHealth): void;
  sendMetrics(report: MetricsReport): void;
  /**
   * The session lets go of something: if it `canTake` now, what the transport has held back may come. Never called while the
   * transport hands a message over.
   */
  resume(): void;
  /** Ends it after what is written has left. What still comes is read and dropped; `cutOff` follows where the peer does not end it. */
  end(): void;
  /** Ends it at once. @param reason for the peer, where the transport can say it; quotes nothing that came */
  cutOff(reason: string): void;
}
