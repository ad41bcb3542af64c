import type { MetricsReport } from '../metrics-report.js';
import { DropTally, seriesOf } from './drop-tally.js';
import type { DroppedSeries } from './dropped-series.js';
import type { FamilyNames } from './family-names.js';
import { flatText } from './flat-text.js';
import { GaugeFamilies } from './gauge-families.js';
import { type AgentMetricFamily, agentMetricPrefix } from './metric-family.js';
import { agentMetricsLimits } from './metric-limits.js';
import { counterTotal, histogramTotal } from './reported-total.js';
import { type AgentPlace, ReportingAgent } from './reporting-agent.js';
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

  /**
   * Takes a report. What does not fit in is left out, and the rest taken all the same: null where that is everything. Of
   * an agent id elsewhere one report a second is read: totals only grow, and the last one is read when the agent ends.
   */
  take(report: MetricsReport, nowMs: number, place: AgentPlace): DroppedSeries | null {
    const size = Math.max(1, seriesOf(report));
    if (report.agentId.length > agentMetricsLimits.agentIdLength) {
      return this.#drop({ count: size, reason: 'the agent id is too long' });
    }
    this.#expire(nowMs);
    const reporter = this.#reporterOf(report.agentId, nowMs, place);
    if (reporter === null) return this.#drop({ count: size, reason: 'there are too many agent ids' });
    return reporter.begin(report, nowMs) ? this.#read(reporter, report) : null;
  }

  /** An agent id can be reached no more: its gauges go, what it counted stays. Null where nothing was dropped. */
  ended(agentId: string): DroppedSeries | null {
    const reporter = this.#reporters.get(agentId);
    if (reporter === undefined) return null;
    reporter.end();
    const dropped = this.#readHeld(reporter);
    this.#gauges.forget(reporter);
    // Nothing comes of it again; nor does anything else than its end make room.
    if (reporter.place === 'here') this.#forget(agentId, reporter);
    return dropped;
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

  #read(reporter: ReportingAgent, report: MetricsReport): DroppedSeries | null {
    this.#gauges.forget(reporter);
    const seen = new Set<TotalSeries>();
    const tally = new DropTally(seriesOf(report));
    for (const one of report.counters) {
      if (tally.isFull) break;
      tally.note(this.#counters.add(reporter, seen, one, counterTotal(one.value)));
    }
    for (const one of report.gauges) {
      if (tally.isFull) break;
      tally.note(this.#gauges.set(reporter, one));
    }
    for (const one of report.histograms) {
      if (tally.isFull) break;
      tally.note(this.#histograms.add(reporter, seen, one, histogramTotal(one)));
    }
    return this.#drop(tally.dropped());
  }

  /** What came just before an agent went: how it was holds no longer. */
  #readHeld(reporter: ReportingAgent): DroppedSeries | null {
    const held = reporter.takeHeld();
    return held === null ? null : this.#read(reporter, { ...held, gauges: [] });
  }

  #drop(dropped: DroppedSeries | null): DroppedSeries | null {
    this.#dropped += dropped?.count ?? 0;
    return dropped;
  }

  /** Null where there is no room. Agents in this process need none: there are as many as the gateway has made. */
  #reporterOf(agentId: string, nowMs: number, place: AgentPlace): ReportingAgent | null {
    const known = this.#reporters.get(agentId);
    if (known !== undefined) return known;
    const isFull = this.#reporters.size >= agentMetricsLimits.agentIds;
    if (place === 'elsewhere' && isFull && !this.#makeRoom(nowMs)) return null;
    const reporter = new ReportingAgent(nowMs, place);
    this.#reporters.set(flatText(agentId), reporter);
    return reporter;
  }

  /** Forgets one that is gone. One that is not would be counted anew with its next report. */
  #makeRoom(nowMs: number): boolean {
    let chosen: readonly [string, ReportingAgent] | null = null;
    for (const entry of this.#reporters) {
      if (entry[1].isGone(nowMs) && (chosen === null || entry[1].goesBefore(chosen[1]))) chosen = entry;
    }
    if (chosen === null) return false;
    this.#forget(...chosen);
    return true;
  }

  #forget(agentId: string, reporter: ReportingAgent): void {
    this.#readHeld(reporter);
    this.#reporters.delete(agentId);
    this.#counters.forget(reporter);
    this.#gauges.forget(reporter);
    this.#histograms.forget(reporter);
  }

  #expire(nowMs: number): void {
    for (const reporter of this.#reporters.values()) if (!reporter.isFresh(nowMs)) this.#gauges.forget(reporter);
  }
}
