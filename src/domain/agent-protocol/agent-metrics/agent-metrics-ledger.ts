import type { MetricsReport } from '../metrics-report.js';
import type { DroppedSeries, DropReason } from './dropped-series.js';
import type { FamilyNames } from './family-names.js';
import { GaugeFamilies } from './gauge-families.js';
import { type AgentMetricFamily, agentMetricPrefix } from './metric-family.js';
import { agentMetricsLimits } from './metric-limits.js';
import { counterTotal, histogramTotal } from './reported-total.js';
import { ReportingAgent } from './reporting-agent.js';
import { SeriesRoom } from './series-room.js';
import { TotalFamilies, type TotalSeries } from './total-families.js';

/**
 * What one configured agent has reported, over all of its restarts. Counters and histograms add up what each agent id has
 * counted, and keep it when that is gone, so that they never go backwards; gauges are the sum of the agent ids whose
 * reports are fresh. Whatever a report holds, the ledger is bounded.
 */
export class AgentMetricsLedger {
  readonly #room: SeriesRoom;
  readonly #reporters = new Map<string, ReportingAgent>();
  readonly #counters: TotalFamilies;
  readonly #gauges: GaugeFamilies;
  readonly #histograms: TotalFamilies;
  #dropped = 0;

  /** @param names shared by all ledgers of a gateway */
  constructor(names: FamilyNames) {
    this.#room = new SeriesRoom(names);
    this.#counters = new TotalFamilies('counter', this.#room);
    this.#gauges = new GaugeFamilies(this.#room);
    this.#histograms = new TotalFamilies('histogram', this.#room);
  }

  /** Series that were not taken, since there is this ledger. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes a report. What does not fit in is left out, and the rest taken all the same: null where that is everything. */
  take(report: MetricsReport, nowMs: number): DroppedSeries | null {
    if (report.agentId.length > agentMetricsLimits.agentIdLength) return this.#drop(['the agent id is too long']);
    this.#expire(nowMs);
    const reporter = this.#reporterOf(report.agentId, nowMs);
    if (!reporter.begin(report, nowMs)) return null;
    this.#gauges.forget(reporter);
    const seen = new Set<TotalSeries>();
    const faults = [
      ...report.counters.map((one) => this.#counters.add(reporter, seen, one, counterTotal(one.value))),
      ...report.gauges.map((one) => this.#gauges.set(reporter, one)),
      ...report.histograms.map((one) => this.#histograms.add(reporter, seen, one, histogramTotal(one))),
    ];
    return this.#drop(faults.filter((fault) => fault !== null));
  }

  /** An agent id can be reached no more: its gauges go, what it counted stays. */
  ended(agentId: string): void {
    const reporter = this.#reporters.get(agentId);
    if (reporter === undefined) return;
    reporter.end();
    this.#gauges.forget(reporter);
  }

  /** Everything as it is exposed, with this name of the agent. */
  families(agent: string, nowMs: number): readonly AgentMetricFamily[] {
    this.#expire(nowMs);
    return [
      ...this.#counters.all().map(({ name, help, series }) => ({
        name: agentMetricPrefix + name,
        help,
        type: 'counter' as const,
        series: series.map(({ labels, values: [value = 0] }) => ({ agent, labels, value })),
      })),
      ...this.#gauges.all().map(({ name, help, series }) => ({
        name: agentMetricPrefix + name,
        help,
        type: 'gauge' as const,
        series: series.map(({ labels, value }) => ({ agent, labels, value })),
      })),
      ...this.#histograms.all().map(({ name, help, series }) => ({
        name: agentMetricPrefix + name,
        help,
        type: 'histogram' as const,
        series: series.map(({ labels, bounds, values: [sum = 0, ...counts] }) => ({
          agent,
          labels,
          sum,
          buckets: bounds.map((le, index) => ({ le, count: counts[index] ?? 0 })),
        })),
      })),
    ];
  }

  /** Gives back the names of its families; it is not used any more. */
  close(): void {
    this.#room.close();
  }

  #drop(reasons: readonly DropReason[]): DroppedSeries | null {
    const [reason] = reasons;
    if (reason === undefined) return null;
    this.#dropped += reasons.length;
    return { count: reasons.length, reason };
  }

  #reporterOf(agentId: string, nowMs: number): ReportingAgent {
    const known = this.#reporters.get(agentId);
    if (known !== undefined) return known;
    if (this.#reporters.size >= agentMetricsLimits.agentIds) this.#forgetOne();
    const reporter = new ReportingAgent(nowMs);
    this.#reporters.set(agentId, reporter);
    return reporter;
  }

  #forgetOne(): void {
    const [first, ...others] = this.#reporters;
    if (first === undefined) return;
    let chosen = first;
    for (const entry of others) if (entry[1].goesBefore(chosen[1])) chosen = entry;
    const [agentId, reporter] = chosen;
    this.#reporters.delete(agentId);
    this.#counters.forget(reporter);
    this.#gauges.forget(reporter);
    this.#histograms.forget(reporter);
  }

  #expire(nowMs: number): void {
    for (const reporter of this.#reporters.values()) if (!reporter.isFresh(nowMs)) this.#gauges.forget(reporter);
  }
}
