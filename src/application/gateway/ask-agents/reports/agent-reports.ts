import type { AgentMetricFamily } from '../../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { AgentHosting } from '../../../../domain/agent-protocol/agent-metrics/reporting-agent.js';
import type { AgentReportReader } from '../../../ports/gateway/agent-client.js';

/** Takes the metric reports of the agents of a process. */
export interface AgentReports {
  /** Sets the agents of the new configuration, and removes the reports of all others. */
  keep(agents: ReadonlySet<string>): void;
  readerOf(agent: string, hosting: AgentHosting): AgentReportReader;
  /** For the exposition of this process. */
  families(): readonly AgentMetricFamily[];
  /** Number of dropped series, by agent. */
  dropped(): readonly { readonly agent: string; readonly count: number }[];
}
