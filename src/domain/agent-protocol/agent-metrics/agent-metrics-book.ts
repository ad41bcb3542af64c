import type { MetricsReport } from '../metrics-report.js';
import { AgentMetricsLedger } from './agent-metrics-ledger.js';
import type { DroppedSeries } from './dropped-series.js';
import { FamilyNames } from './family-names.js';
import type { AgentMetricFamily } from './metric-family.js';
import type { AgentPlace } from './reporting-agent.js';

/** What all agents of a gateway have reported. `nowMs` is of a monotonic clock throughout. */
export class AgentMetricsBook {
  readonly #names: FamilyNames;
  readonly #ledgers = new Map<string, AgentMetricsLedger>();

  /** @param reserved names of samples, as they are exposed, that are the gateway's own */
  constructor(reserved: ReadonlySet<string>) {
    this.#names = new FamilyNames(reserved);
  }

  /** These agents are configured from now on: what others have reported goes. */
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

  /** Nothing is taken of an agent that is not configured. Null where nothing was dropped. */
  take(agent: string, report: MetricsReport, nowMs: number, place: AgentPlace = 'elsewhere'): DroppedSeries | null {
    return this.#ledgers.get(agent)?.take(report, nowMs, place) ?? null;
  }

  /** Null where nothing was dropped of what it reported last. */
  ended(agent: string, agentId: string): DroppedSeries | null {
    return this.#ledgers.get(agent)?.ended(agentId) ?? null;
  }

  /** Each family once, with the series of all agents that report it. */
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

  /** Series that were not taken, by agent. */
  dropped(): readonly { readonly agent: string; readonly count: number }[] {
    return Array.from(this.#ledgers, ([agent, { dropped: count }]) => ({ agent, count }));
  }
}

/** INVARIANT: both have the same name, and so the same type. */
const together = (one: AgentMetricFamily, other: AgentMetricFamily): AgentMetricFamily => {
  if (one.type === 'histogram') {
    return other.type === 'histogram' ? { ...one, series: [...one.series, ...other.series] } : one;
  }
  return other.type === 'histogram' ? one : { ...one, series: [...one.series, ...other.series] };
};
