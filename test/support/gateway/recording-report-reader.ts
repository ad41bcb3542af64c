import type { AgentReportReader } from '../../../src/application/ports/gateway/agent-client.js';
import type { MetricsReport } from '../../../src/domain/agent-protocol/metrics-report.js';

/** Writes down what a client tells of its agent. */
export class RecordingReportReader implements AgentReportReader {
  readonly reports: MetricsReport[] = [];
  readonly endedIds: string[] = [];

  reported(report: MetricsReport): void {
    this.reports.push(report);
  }

  ended(agentId: string): void {
    this.endedIds.push(agentId);
  }
}
