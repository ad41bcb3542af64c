import { AgentMetricsBook } from '../../domain/agent-protocol/agent-metrics/agent-metrics-book.js';
import type { AgentMetricFamily } from '../../domain/agent-protocol/agent-metrics/metric-family.js';
import { OncePerPeriod } from '../authenticate-request/once-per-period.js';
import type { AgentReportReader } from '../ports/agent-client.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';

/** Between two lines about what was not taken of one agent's reports, at the least. */
export const droppedLineMs = 60_000;

/** What the agents report of themselves, as it comes, for the gateway's own exposition. */
export class AgentMetrics {
  readonly #book: AgentMetricsBook;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #logger: Logger;
  readonly #droppedLines = new Map<string, OncePerPeriod>();

  /** @param ownNames names of samples that no agent can have */
  constructor(ownNames: ReadonlySet<string>, clock: Pick<Clock, 'monotonicMs'>, logger: Logger) {
    this.#book = new AgentMetricsBook(ownNames);
    this.#clock = clock;
    this.#logger = logger;
  }

  /** The agents of the configuration that comes into force: what others have reported goes. */
  keep(agents: ReadonlySet<string>): void {
    this.#book.keep(agents);
    for (const agent of this.#droppedLines.keys()) if (!agents.has(agent)) this.#droppedLines.delete(agent);
  }

  /** Takes what comes for the agent of this name, as long as it is kept. */
  readerOf(agent: string): AgentReportReader {
    return {
      reported: (report) => {
        const dropped = this.#book.take(agent, report, this.#clock.monotonicMs());
        if (dropped !== null && this.#droppedLinesOf(agent).take() !== null) {
          this.#logger.warn('metrics that the agent reports are not taken', { agent, ...dropped });
        }
      },
      ended: (agentId) => this.#book.ended(agent, agentId),
    };
  }

  families(): readonly AgentMetricFamily[] {
    return this.#book.families(this.#clock.monotonicMs());
  }

  /** Series that were not taken, by agent, 0 where all were. */
  dropped(): readonly { readonly agent: string; readonly count: number }[] {
    return this.#book.dropped();
  }

  #droppedLinesOf(agent: string): OncePerPeriod {
    const known = this.#droppedLines.get(agent);
    if (known !== undefined) return known;
    const lines = new OncePerPeriod(this.#clock, droppedLineMs);
    this.#droppedLines.set(agent, lines);
    return lines;
  }
}
