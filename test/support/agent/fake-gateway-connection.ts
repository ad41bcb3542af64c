import type { GatewayConnection } from '../../../src/application/agent/serve-gateways/gateway-connection.js';
import type { HandshakeResponse } from '../../../src/domain/agent-protocol/handshake.js';
import type { AgentHealth } from '../../../src/domain/agent-protocol/health.js';
import type { AgentAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../src/domain/agent-protocol/metrics-report.js';
import type { Result } from '../../../src/domain/shared/result.js';

export type SentMessage =
  | { readonly kind: 'handshake'; readonly response: HandshakeResponse }
  | { readonly kind: 'answer'; readonly correlationId: string; readonly answer: AgentAnswer }
  | { readonly kind: 'configured'; readonly correlationId: string; readonly outcome: Result<void, string> }
  | { readonly kind: 'health'; readonly health: AgentHealth }
  | { readonly kind: 'metrics'; readonly report: MetricsReport }
  | { readonly kind: 'end' }
  | { readonly kind: 'cut_off'; readonly reason: string };

/** A transport that keeps what it is given. */
export class FakeGatewayConnection implements GatewayConnection {
  readonly sent: SentMessage[] = [];
  resumes = 0;
  /** Why an answer cannot be sent; null where it can. */
  fault: (answer: AgentAnswer) => string | null = () => null;

  get kinds(): readonly string[] {
    return this.sent.map(({ kind }) => kind);
  }

  get answers(): readonly { readonly correlationId: string; readonly answer: AgentAnswer }[] {
    return this.sent.filter((message) => message.kind === 'answer');
  }

  sendHandshake(response: HandshakeResponse): void {
    this.sent.push({ kind: 'handshake', response });
  }

  sendAnswer(answer: AgentAnswer, correlationId: string): string | null {
    const fault = this.fault(answer);
    if (fault === null) this.sent.push({ kind: 'answer', correlationId, answer });
    return fault;
  }

  sendConfigured(correlationId: string, outcome: Result<void, string>): void {
    this.sent.push({ kind: 'configured', correlationId, outcome });
  }

  sendHealth(health: AgentHealth): void {
    this.sent.push({ kind: 'health', health });
  }

  sendMetrics(report: MetricsReport): void {
    this.sent.push({ kind: 'metrics', report });
  }

  resume(): void {
    this.resumes += 1;
  }

  end(): void {
    this.sent.push({ kind: 'end' });
  }

  cutOff(reason: string): void {
    this.sent.push({ kind: 'cut_off', reason });
  }
}
