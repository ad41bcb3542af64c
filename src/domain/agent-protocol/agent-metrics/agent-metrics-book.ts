import type { MetricsReport } from '../metrics-report.js';
import { AgentMetricsLedger } from './agent-metrics-ledger.js';
import type { DroppedSeries } from './dropped-series.js';
import { FamilyNames } from './family-names.js';
import type { AgentMetricFamily } from './metric-family.js';
import type { AgentHosting } from './reporting-agent.js';

/** The reported metrics of all agents of a gateway. `nowMs` is always from a monotonic clock. */
export class AgentMetricsBook {
  readonly #names: FamilyNames;
  readonly #ledgers = new Map<string, AgentMetricsLedger>();

  /** @param reserved sample names of the gateway's own metrics, as exposed */
  constructor(reserved: ReadonlySet<string>) {
    this.#names = new FamilyNames(reserved);
  }

  /** Sets the configured agents, and drops the metrics of all others. */
  keep(agents: ReadonlySet<string>): void {
    for (const [agent, ledger] of this.#ledgers) {
      if (agents.has(agent)) continue;
      ledger.close();
      this.#ledgers.delete(agent);
    }
    for (const agent of agents) {
      if (!this.#ledgers.has(agent)) this.#ledgers.set(agent, new AgentMetricsLedger(this.#names));
    }
  }

  /** Accepts a report of a configured agent. Null: nothing was dropped. */
  take(agent: string, report: MetricsReport, nowMs: number, hosting: AgentHosting = 'external'): DroppedSeries | null {
    return this.#ledgers.get(agent)?.take(report, nowMs, hosting) ?? null;
  }

  /** Ends an agent id. Null: nothing of its last report was dropped. */
  ended(agent: string, agentId: string): DroppedSeries | null {
    return this.#ledgers.get(agent)?.ended(agentId) ?? null;
  }

  /** Each family once, with the series of all its agents. */
  families(nowMs: number): readonly AgentMetricFamily[] {
    const families = new Map<string, AgentMetricFamily>();
    for (const [agent, ledger] of this.#ledgers) {
      for (const family of ledger.families(agent, nowMs)) {
        const known = families.get(family.name);
        families.set(family.name, known === undefined ? family : together(known, family));
      }
    }
    return [...families.values()];
  }

  /** Number of dropped series, by agent. */
  dropped(): readonly { readonly agent: string; readonly count: number }[] {
    return Array.from(this.#ledgers, ([agent, { dropped: count }]) => ({ agent, count }));
  }
}

/** INVARIANT: both have the same name, and therefore the same type. */
const together = (one: AgentMetricFamily, other: AgentMetricFamily): AgentMetricFamily => {
  if (one.type === 'histogram') {
    return other.type === 'histogram' ? { ...one, series: [...one.series, ...other.series] } : one;
  }
  return other.type === 'histogram' ? one : { ...one, series: [...one.series, ...other.series] };
};
