import { seriesOf } from '../../../../domain/agent-protocol/agent-metrics/drop-tally.js';
import { agentMetricsLimits } from '../../../../domain/agent-protocol/agent-metrics/metric-limits.js';
import type { AgentHosting } from '../../../../domain/agent-protocol/agent-metrics/reporting-agent.js';
import { isSmallReport } from '../../../../domain/agent-protocol/agent-metrics/small-report.js';
import type { MetricsReport } from '../../../../domain/agent-protocol/metrics-report.js';
import type { AgentReportReader } from '../../../ports/gateway/agent-client.js';
import type { AgentReports } from './agent-reports.js';

/** The last report of an agent id to one worker. */
export interface UncollectedReport {
  readonly agent: string;
  readonly agentId: string;
  readonly hosting: AgentHosting;
  /** Null: no new report since the last delivery. */
  readonly report: MetricsReport | null;
  /** The worker no longer reaches the agent. */
  readonly hasEnded: boolean;
}

interface Reporter {
  readonly hosting: AgentHosting;
  report: MetricsReport | null;
  isDelivered: boolean;
  hasEnded: boolean;
  /** Number of deliveries of its end. */
  endDeliveries: number;
}

/** An end is delivered several times with the last totals, because a delivery may be lost. */
const maxEndDeliveries = 3;

/** A report, cut to the number of series that a reader accepts. */
const cut = (report: MetricsReport): MetricsReport => {
  const { lines } = agentMetricsLimits;
  const counters = report.counters.slice(0, lines);
  const gauges = report.gauges.slice(0, lines - counters.length);
  return {
    ...report,
    counters,
    gauges,
    histograms: report.histograms.slice(0, lines - counters.length - gauges.length),
  };
};

/**
 * The reports of agents to one of several workers: the last report of each agent id, until the supervisor collects it.
 * So an agent that is connected to every worker counts once. The memory is bounded for any reports.
 */
export class UncollectedAgentReports implements AgentReports {
  #kept: ReadonlySet<string> = new Set();
  readonly #byAgent = new Map<string, Map<string, Reporter>>();
  readonly #dropped = new Map<string, number>();

  keep(agents: ReadonlySet<string>): void {
    this.#kept = agents;
    for (const held of [this.#byAgent, this.#dropped]) {
      for (const agent of held.keys()) if (!agents.has(agent)) held.delete(agent);
    }
  }

  readerOf(agent: string, hosting: AgentHosting): AgentReportReader {
    return {
      reported: (report) => this.#take(agent, hosting, report),
      ended: (agentId) => {
        const reporter = this.#byAgent.get(agent)?.get(agentId);
        if (reporter !== undefined) reporter.hasEnded = true;
      },
    };
  }

  /** Empty, because the supervisor exposes the metrics of all workers. */
  families(): readonly [] {
    return [];
  }

  /** Number of series that were dropped because reports were too large, by agent. */
  dropped(): readonly { readonly agent: string; readonly count: number }[] {
    return Array.from(this.#dropped, ([agent, count]) => ({ agent, count }));
  }

  /** The names of the agents in force. */
  agents(): readonly string[] {
    return [...this.#kept];
  }

  /** The reports to deliver now. */
  handOver(): readonly UncollectedReport[] {
    return [...this.#kept].flatMap((agent) => {
      const reporters = this.#byAgent.get(agent);
      return reporters === undefined ? [] : [...reporters].map(([id, one]) => this.#deliver(agent, id, one));
    });
  }

  #deliver(agent: string, agentId: string, reporter: Reporter): UncollectedReport {
    const { hosting, hasEnded } = reporter;
    const report = reporter.isDelivered && !hasEnded ? null : reporter.report;
    reporter.isDelivered = true;
    if (hasEnded) reporter.endDeliveries += 1;
    if (reporter.endDeliveries >= maxEndDeliveries) this.#byAgent.get(agent)?.delete(agentId);
    return { agent, agentId, hosting, report, hasEnded };
  }

  #take(agent: string, hosting: AgentHosting, whole: MetricsReport): void {
    const report = cut(whole);
    const { agentId } = report;
    const reporters = this.#byAgent.get(agent) ?? new Map<string, Reporter>();
    this.#byAgent.set(agent, reporters);
    const isRefused = agentId.length > agentMetricsLimits.agentIdLength || !isSmallReport(report);
    const dropped = seriesOf(whole) - (isRefused ? 0 : seriesOf(report));
    if (dropped > 0) this.#dropped.set(agent, (this.#dropped.get(agent) ?? 0) + dropped);
    if (isRefused) return;
    const known = reporters.get(agentId);
    if (known === undefined && !this.#makeRoom(reporters, hosting)) {
      this.#dropped.set(agent, (this.#dropped.get(agent) ?? 0) + Math.max(1, seriesOf(report)));
      return;
    }
    reporters.set(agentId, { hosting, report, isDelivered: false, hasEnded: false, endDeliveries: 0 });
  }

  /** Whether another agent id fits. Embedded agents are not limited, because the gateway makes them itself. */
  #makeRoom(reporters: Map<string, Reporter>, hosting: AgentHosting): boolean {
    if (hosting === 'embedded' || reporters.size < agentMetricsLimits.agentIds) return true;
    for (const [agentId, { hasEnded }] of reporters) {
      if (hasEnded) return reporters.delete(agentId);
    }
    return false;
  }
}
