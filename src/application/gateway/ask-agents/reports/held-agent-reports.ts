import { seriesOf } from '../../../../domain/agent-protocol/agent-metrics/drop-tally.js';
import { agentMetricsLimits } from '../../../../domain/agent-protocol/agent-metrics/metric-limits.js';
import { isModest } from '../../../../domain/agent-protocol/agent-metrics/modest-report.js';
import type { AgentPlace } from '../../../../domain/agent-protocol/agent-metrics/reporting-agent.js';
import type { MetricsReport } from '../../../../domain/agent-protocol/metrics-report.js';
import type { AgentReportReader } from '../../../ports/gateway/agent-client.js';
import type { AgentReports } from './agent-reports.js';

/** The last that an agent id has reported to one worker. */
export interface HeldReport {
  readonly agent: string;
  readonly agentId: string;
  readonly place: AgentPlace;
  /** Null where it has reported nothing since the last one was handed over. */
  readonly report: MetricsReport | null;
  /** This worker cannot reach it any more. */
  readonly hasEnded: boolean;
}

interface Reporter {
  readonly place: AgentPlace;
  report: MetricsReport | null;
  isHandedOver: boolean;
  hasEnded: boolean;
  /** How often it was handed over that it has ended. */
  timesTold: number;
}

/** An end is told more than once, for an answer may be lost; the totals that come with it are the last. */
const timesToTell = 3;

/** A report with no more series than a reader takes. */
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
 * What agents report to one of several workers: the last report of each agent id, until it is handed to who reads
 * those of all workers, so that an agent that every worker is connected to counts once. Bounded, whatever the reports
 * hold.
 */
export class HeldAgentReports implements AgentReports {
  #kept: ReadonlySet<string> = new Set();
  readonly #byAgent = new Map<string, Map<string, Reporter>>();
  readonly #dropped = new Map<string, number>();

  keep(agents: ReadonlySet<string>): void {
    this.#kept = agents;
    for (const held of [this.#byAgent, this.#dropped]) {
      for (const agent of held.keys()) if (!agents.has(agent)) held.delete(agent);
    }
  }

  readerOf(agent: string, place: AgentPlace): AgentReportReader {
    return {
      reported: (report) => this.#take(agent, place, report),
      ended: (agentId) => {
        const reporter = this.#byAgent.get(agent)?.get(agentId);
        if (reporter !== undefined) reporter.hasEnded = true;
      },
    };
  }

  /** Nothing is read here: the exposition is of all workers. */
  families(): readonly [] {
    return [];
  }

  /** Of reports that are too large to be handed over. */
  dropped(): readonly { readonly agent: string; readonly count: number }[] {
    return Array.from(this.#dropped, ([agent, count]) => ({ agent, count }));
  }

  /** The names of the agents in force. */
  agents(): readonly string[] {
    return [...this.#kept];
  }

  /** What there is to be handed over now. */
  handOver(): readonly HeldReport[] {
    return [...this.#kept].flatMap((agent) => {
      const reporters = this.#byAgent.get(agent);
      return reporters === undefined ? [] : [...reporters].map(([id, one]) => this.#told(agent, id, one));
    });
  }

  #told(agent: string, agentId: string, reporter: Reporter): HeldReport {
    const { place, hasEnded } = reporter;
    const report = reporter.isHandedOver && !hasEnded ? null : reporter.report;
    reporter.isHandedOver = true;
    if (hasEnded) reporter.timesTold += 1;
    if (reporter.timesTold >= timesToTell) this.#byAgent.get(agent)?.delete(agentId);
    return { agent, agentId, place, report, hasEnded };
  }

  #take(agent: string, place: AgentPlace, whole: MetricsReport): void {
    const report = cut(whole);
    const { agentId } = report;
    const reporters = this.#byAgent.get(agent) ?? new Map<string, Reporter>();
    this.#byAgent.set(agent, reporters);
    const isRefused = agentId.length > agentMetricsLimits.agentIdLength || !isModest(report);
    const left = seriesOf(whole) - (isRefused ? 0 : seriesOf(report));
    if (left > 0) this.#dropped.set(agent, (this.#dropped.get(agent) ?? 0) + left);
    if (isRefused) return;
    const known = reporters.get(agentId);
    if (known === undefined && !this.#makeRoom(reporters, place)) {
      this.#dropped.set(agent, (this.#dropped.get(agent) ?? 0) + Math.max(1, seriesOf(report)));
      return;
    }
    reporters.set(agentId, { place, report, isHandedOver: false, hasEnded: false, timesTold: 0 });
  }

  /** Agents in this process are as many as the gateway has made. */
  #makeRoom(reporters: Map<string, Reporter>, place: AgentPlace): boolean {
    if (place === 'here' || reporters.size < agentMetricsLimits.agentIds) return true;
    for (const [agentId, { hasEnded }] of reporters) {
      if (hasEnded) return reporters.delete(agentId);
    }
    return false;
  }
}
