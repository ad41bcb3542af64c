import { AgentMetricsBook } from '../../../../domain/agent-protocol/agent-metrics/agent-metrics-book.js';
import type { DroppedSeries } from '../../../../domain/agent-protocol/agent-metrics/dropped-series.js';
import type { AgentMetricFamily } from '../../../../domain/agent-protocol/agent-metrics/metric-family.js';
import type { AgentPlace } from '../../../../domain/agent-protocol/agent-metrics/reporting-agent.js';
import type { AgentReportReader } from '../../../ports/gateway/agent-client.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { Logger } from '../../../ports/shared/logger.js';
import { OncePerPeriod } from '../../../shared/once-per-period.js';
import type { AgentReports } from './agent-reports.js';

/** Between two lines about what was not taken of one agent's reports, at least. */
export const droppedLineMs = 60_000;

/** What the agents report of themselves, as it comes, for the gateway's own exposition. */
export class AgentMetrics implements AgentReports {
  readonly #book: AgentMetricsBook;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #logger: Logger;
  readonly #droppedLines = new Map<string, OncePerPeriod>();
  /** How often the configuration has changed, and with which change each agent came. */
  #changes = 0;
  readonly #cameWith = new Map<string, number>();

  /** @param ownNames names of samples that no agent can have */
  constructor(ownNames: ReadonlySet<string>, clock: Pick<Clock, 'monotonicMs'>, logger: Logger) {
    this.#book = new AgentMetricsBook(ownNames);
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The agents of the configuration that comes into force: what others have reported goes. */
  keep(agents: ReadonlySet<string>): void {
    this.#book.keep(agents);
    this.#changes += 1;
    for (const agent of this.#cameWith.keys()) {
      if (agents.has(agent)) continue;
      this.#cameWith.delete(agent);
      this.#droppedLines.delete(agent);
    }
    for (const agent of agents) if (!this.#cameWith.has(agent)) this.#cameWith.set(agent, this.#changes);
  }

  /**
   * Takes what comes for the agent of this name as long as it is kept: from now on, or from the next change on that
   * brings it. When it comes back after it was gone, it is another one.
   */
  readerOf(agent: string, place: AgentPlace): AgentReportReader {
    const atTheLatest = this.#changes + 1;
    const isKept = (): boolean => (this.#cameWith.get(agent) ?? Number.POSITIVE_INFINITY) <= atTheLatest;
    return {
      reported: (report) => {
        if (isKept()) this.#tell(agent, this.#book.take(agent, report, this.#clock.monotonicMs(), place));
      },
      ended: (agentId) => {
        if (isKept()) this.#tell(agent, this.#book.ended(agent, agentId));
      },
    };
  }

  families(): readonly AgentMetricFamily[] {
    return this.#book.families(this.#clock.monotonicMs());
  }

  /** Series that were not taken, by agent, 0 where all were. */
  dropped(): readonly { readonly agent: string; readonly count: number }[] {
    return this.#book.dropped();
  }

  #tell(agent: string, dropped: DroppedSeries | null): void {
    if (dropped === null) return;
    const untold = this.#droppedLinesOf(agent).take();
    if (untold === null) return;
    this.#logger.warn('metrics that the agent reports are not taken', { agent, ...dropped, untold });
  }

  #droppedLinesOf(agent: string): OncePerPeriod {
    const known = this.#droppedLines.get(agent);
    if (known !== undefined) return known;
    const lines = new OncePerPeriod(this.#clock, droppedLineMs);
    this.#droppedLines.set(agent, lines);
    return lines;
  }
}
