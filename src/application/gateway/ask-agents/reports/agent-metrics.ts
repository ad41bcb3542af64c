import { AgentMetricsBook } from '../../../../domain/agent-protocol/agent-metrics/agent-metrics-book.js';
import type { DroppedSeries } from '../../../../domain/agent-protocol/agent-metrics/dropped-series.js';
import type { AgentMetricFamily } from '../../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { AgentHosting } from '../../../../domain/agent-protocol/agent-metrics/reporting-agent.js';
import type { AgentReportReader } from '../../../ports/gateway/agent-client.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import { OncePerPeriod } from '../../../shared/once-per-period.js';
import type { AgentReports } from './agent-reports.js';

/** Minimum interval between lines about dropped metrics of one agent; milliseconds. */
export const droppedLineMs = 60_000;

/** The metrics that agents report, for the exposition of this process. */
export class AgentMetrics implements AgentReports {
  readonly #book: AgentMetricsBook;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #logger: Logger;
  readonly #droppedLines = new Map<string, OncePerPeriod>();
  /** Number of configuration changes. `#addedAt` holds the change that added each agent. */
  #changes = 0;
  readonly #addedAt = new Map<string, number>();

  /** @param ownNames sample names that agents must not use */
  constructor(ownNames: ReadonlySet<string>, clock: Pick<Clock, 'monotonicMs'>, logger: Logger) {
    this.#book = new AgentMetricsBook(ownNames);
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Sets the agents of the new configuration, and removes the reports of all others. */
  keep(agents: ReadonlySet<string>): void {
    this.#book.keep(agents);
    this.#changes += 1;
    for (const agent of this.#addedAt.keys()) {
      if (agents.has(agent)) continue;
      this.#addedAt.delete(agent);
      this.#droppedLines.delete(agent);
    }
    for (const agent of agents) if (!this.#addedAt.has(agent)) this.#addedAt.set(agent, this.#changes);
  }

  /**
   * A reader for the reports of an agent. It works while the agent is configured, from now on or from the next change.
   * After the agent was removed, the reader stays without effect, even if an agent with this name is added again.
   */
  readerOf(agent: string, hosting: AgentHosting): AgentReportReader {
    const latestChange = this.#changes + 1;
    const isKept = (): boolean => (this.#addedAt.get(agent) ?? Number.POSITIVE_INFINITY) <= latestChange;
    return {
      reported: (report) => {
        if (isKept()) this.#logDropped(agent, this.#book.take(agent, report, this.#clock.monotonicMs(), hosting));
      },
      ended: (agentId) => {
        if (isKept()) this.#logDropped(agent, this.#book.ended(agent, agentId));
      },
    };
  }

  families(): readonly AgentMetricFamily[] {
    return this.#book.families(this.#clock.monotonicMs());
  }

  /** Number of dropped series, by agent. */
  dropped(): readonly { readonly agent: string; readonly count: number }[] {
    return this.#book.dropped();
  }

  #logDropped(agent: string, dropped: DroppedSeries | null): void {
    if (dropped === null) return;
    const untold = this.#droppedLinesOf(agent).take();
    if (untold === null) return;
    this.#logger.warn('Agent reported metrics that the gateway drops', { agent, ...dropped, untold });
  }

  #droppedLinesOf(agent: string): OncePerPeriod {
    const known = this.#droppedLines.get(agent);
    if (known !== undefined) return known;
    const lines = new OncePerPeriod(this.#clock, droppedLineMs);
    this.#droppedLines.set(agent, lines);
    return lines;
  }
}
