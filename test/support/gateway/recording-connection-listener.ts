import type { AgentConnectionListener, ConnectionEnd } from '../../../src/application/ports/gateway/agent-connector.js';
import type { AgentCapabilities } from '../../../src/domain/agent-protocol/capabilities.js';
import type { AgentAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type { Result } from '../../../src/domain/shared/result.js';
import { eventually } from '../shared/eventually.js';

/** Keeps what happens on a connection to an agent. */
export class RecordingConnectionListener implements AgentConnectionListener {
  readonly answers: { readonly correlationId: string; readonly answer: Result<AgentAnswer, string> }[] = [];
  readonly ends: ConnectionEnd[] = [];
  /** Reports and signals, by what they are. */
  readonly others: string[] = [];
  capabilities: AgentCapabilities | null = null;
  /** What the owner of the calls does with an answer, there and then. */
  whenAnswered: () => void = () => {};

  onReady(capabilities: AgentCapabilities): void {
    this.capabilities = capabilities;
  }

  onAnswer(correlationId: string, answer: Result<AgentAnswer, string>): void {
    this.answers.push({ correlationId, answer });
    this.whenAnswered();
  }

  onHealth(): void {
    this.others.push('health');
  }

  onMetrics(): void {
    this.others.push('metrics');
  }

  onFlowControl(): void {
    this.others.push('flow control');
  }

  onConfigUpdate(): void {
    this.others.push('config update');
  }

  onLogLine(): void {
    this.others.push('log line');
  }

  onUnreadableReport(): void {
    this.others.push('unreadable report');
  }

  onRoom(): void {
    this.others.push('room');
  }

  onEnd(end: ConnectionEnd): void {
    this.ends.push(end);
  }

  async ready(): Promise<void> {
    await eventually(() => this.capabilities !== null || this.ends.length > 0);
  }

  async answered(count = 1): Promise<void> {
    await eventually(() => this.answers.length >= count || this.ends.length > 0);
  }

  async ended(): Promise<ConnectionEnd> {
    await eventually(() => this.ends.length > 0);
    return this.ends[0] as ConnectionEnd;
  }
}
