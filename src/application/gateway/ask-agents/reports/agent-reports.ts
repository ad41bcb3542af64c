import type { AgentMetricFamily } from '../../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { AgentPlace } from '../../../../domain/agent-protocol/agent-metrics/reporting-agent.js';
import type { AgentReportReader } from '../../../ports/gateway/agent-client.js';

/** Who takes what the agents of a process report of themselves. */
export interface AgentReports {
  /** The agents of the configuration that comes into force: what others have reported goes. */
  keep(agents: ReadonlySet<string>): void;
  readerOf(agent: string, place: AgentPlace): AgentReportReader;
  /** For the exposition of this process. */
  families(): readonly AgentMetricFamily[];
  /** Series that were not taken, by agent. */
  dropped(): readonly { readonly agent: string; readonly count: number }[];
}
