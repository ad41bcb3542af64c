import type { AgentConnectionListener, ConnectionEnd } from '../../../src/application/ports/gateway/agent-connector.js';
import type { AgentLogLine } from '../../../src/domain/agent-protocol/agent-log-line.js';
import type { AgentCapabilities } from '../../../src/domain/agent-protocol/capabilities.js';
import type { ConfigUpdateRequest } from '../../../src/domain/agent-protocol/config-update.js';
import type { FlowControl } from '../../../src/domain/agent-protocol/flow-control.js';
import type { AgentHealth } from '../../../src/domain/agent-protocol/health.js';
import type { AgentAnswer } from '../../../src/domain/agent-protocol/messages.js';
import type { MetricsReport } from '../../../src/domain/agent-protocol/metrics-report.js';
import type { Result } from '../../../src/domain/shared/result.js';
import { eventually } from '../shared/eventually.js';

/** All that a connection tells, reports and signals in full. */
export class ConnectionRecord implements AgentConnectionListener {
  readonly ready: AgentCapabilities[] = [];
  readonly answers: { readonly correlationId: string; readonly answer: Result<AgentAnswer, string> }[] = [];
  readonly healths: AgentHealth[] = [];
  readonly reports: MetricsReport[] = [];
  readonly signals: FlowControl[] = [];
  readonly updates: ConfigUpdateRequest[] = [];
  readonly lines: AgentLogLine[] = [];
  readonly problems: string[] = [];
  readonly ends: ConnectionEnd[] = [];
  rooms = 0;
  /** Set where anything was told after the end. */
  toldAfterEnd = false;

  onReady(capabilities: AgentCapabilities): void {
    this.#note();
    this.ready.push(capabilities);
  }

  onAnswer(correlationId: string, answer: Result<AgentAnswer, string>): void {
    this.#note();
    this.answers.push({ correlationId, answer });
  }

  onHealth(health: AgentHealth): void {
    this.#note();
    this.healths.push(health);
  }

  onMetrics(report: MetricsReport): void {
    this.#note();
    this.reports.push(report);
  }

  onFlowControl(signal: FlowControl): void {
    this.#note();
    this.signals.push(signal);
  }

  onConfigUpdate(request: ConfigUpdateRequest): void {
    this.#note();
    this.updates.push(request);
  }

  onLogLine(line: AgentLogLine): void {
    this.#note();
    this.lines.push(line);
  }

  onUnreadableReport(problem: string): void {
    this.#note();
    this.problems.push(problem);
  }

  onRoom(): void {
    this.#note();
    this.rooms += 1;
  }

  onEnd(end: ConnectionEnd): void {
    this.#note();
    this.ends.push(end);
  }

  /** What the agent said of itself, once the handshake has succeeded. */
  async isReady(): Promise<AgentCapabilities> {
    await eventually(() => this.ready.length > 0 || this.ends.length > 0);
    const [capabilities] = this.ready;
    if (capabilities === undefined) throw new Error(`never ready: ${this.ends[0]?.detail}`);
    return capabilities;
  }

  async hasEnded(): Promise<ConnectionEnd> {
    await eventually(() => this.ends.length > 0);
    return this.ends[0] as ConnectionEnd;
  }

  #note(): void {
    if (this.ends.length > 0) this.toldAfterEnd = true;
  }
}
