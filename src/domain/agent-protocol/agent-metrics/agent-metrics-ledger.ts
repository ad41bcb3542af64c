import type { MetricsReport, ReportedHistogram, ReportedValue } from '../metrics-report.js';
import { DropTally, seriesOf } from './drop-tally.js';
import type { DroppedSeries, DropReason } from './dropped-series.js';
import type { FamilyNames } from './family-names.js';
import { flatText } from './flat-text.js';
import { GaugeFamilies } from './gauge-families.js';
import { type AgentMetricFamily, agentMetricPrefix } from './metric-family.js';
import { agentMetricsLimits } from './metric-limits.js';
import { helpText, keptLabels, sortedLabels } from './reported-text.js';
import { type AgentHosting, ReportingAgent } from './reporting-agent.js';
import { SeriesRoom } from './series-room.js';

/** The total of a counter or histogram. No number decreases while its agent runs. */
interface ReportedTotal {
  /** Upper bounds of the buckets; empty for a counter. */
  readonly bounds: readonly number[];
  /** Counter: its value. Histogram: its sum, then the cumulative count of each bucket. */
  readonly values: readonly number[];
}

const isTotal = (value: number): boolean => value >= 0 && value <= agentMetricsLimits.total;

/** Null: the value is invalid for a counter. */
const counterTotal = (value: number): ReportedTotal | null => (isTotal(value) ? { bounds: [], values: [value] } : null);

/** Null: the buckets are inconsistent. */
const histogramTotal = ({ sum, count, buckets }: ReportedHistogram): ReportedTotal | null => {
  const last = buckets.at(-1);
  if (last?.le !== Number.POSITIVE_INFINITY || last.count !== count) return null;
  if (buckets.length > agentMetricsLimits.buckets || !isTotal(sum)) return null;
  let bound = Number.NEGATIVE_INFINITY;
  let below = 0;
  for (const { le, count: upToHere } of buckets) {
    // Also refuses a bound that is NaN.
    if (!(le > bound) || !Number.isSafeInteger(upToHere) || upToHere < below) return null;
    bound = le;
    below = upToHere;
  }
  return { bounds: buckets.map(({ le }) => le), values: [sum, ...buckets.map((bucket) => bucket.count)] };
};

const sameBounds = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((bound, index) => bound === other[index]);

/** The increase of a total. A smaller part means a restart, so the count starts from zero. */
const growth = (values: readonly number[], before: readonly number[] | undefined): readonly number[] => {
  if (before === undefined || values.some((value, index) => value < (before[index] ?? 0))) return values;
  return values.map((value, index) => value - (before[index] ?? 0));
};

interface TotalSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly bounds: readonly number[];
  /** The sum over all agent ids, in the order of `ReportedTotal`. */
  readonly values: readonly number[];
}

interface AddedSeries extends TotalSeries {
  values: readonly number[];
  /** The totals in the last report of each agent id. */
  readonly before: Map<ReportingAgent, readonly number[]>;
}

interface TotalFamily {
  readonly help: string;
  readonly series: Map<string, AddedSeries>;
}

const linesOf = (bounds: readonly number[]): number => (bounds.length === 0 ? 1 : bounds.length + 2);

/** Counters or histograms, which only grow. A series stays even after its agents have gone. */
class TotalFamilies {
  readonly #type: 'counter' | 'histogram';
  readonly #room: SeriesRoom;
  readonly #families = new Map<string, TotalFamily>();

  constructor(type: 'counter' | 'histogram', room: SeriesRoom) {
    this.#type = type;
    this.#room = room;
  }

  /** @param seen series already read from the same report */
  add(
    reporter: ReportingAgent,
    seen: Set<TotalSeries>,
    { name, help, labels }: Omit<ReportedValue, 'value'>,
    total: ReportedTotal | null,
  ): DropReason | null {
    const sorted = sortedLabels(labels);
    if (sorted === null) return 'its labels are not well-formed';
    if (total === null) return 'its value does not fit its type';
    const key = JSON.stringify(sorted);
    const family = this.#families.get(name);
    let series = family?.series.get(key);
    if (series === undefined) {
      const fault = this.#room.take(name, this.#type, family === undefined, linesOf(total.bounds));
      if (fault !== null) return fault;
      const { bounds, values } = total;
      series = { labels: keptLabels(sorted), bounds, values: values.map(() => 0), before: new Map() };
      if (family === undefined)
        this.#families.set(flatText(name), { help: helpText(help), series: new Map([[key, series]]) });
      else family.series.set(key, series);
    }
    if (seen.has(series)) return 'it comes twice';
    if (!sameBounds(series.bounds, total.bounds)) return 'its buckets have changed';
    seen.add(series);
    const more = growth(total.values, series.before.get(reporter));
    series.values = series.values.map((value, index) => value + (more[index] ?? 0));
    series.before.set(reporter, total.values);
    return null;
  }

  /** Removes an agent id that will not report again. */
  forget(reporter: ReportingAgent): void {
    for (const { series } of this.#families.values()) {
      for (const { before } of series.values()) before.delete(reporter);
    }
  }

  all(): readonly { readonly name: string; readonly help: string; readonly series: readonly TotalSeries[] }[] {
    return Array.from(this.#families, ([name, { help, series }]) => ({ name, help, series: [...series.values()] }));
  }
}

/**
 * The metrics of one configured agent across its restarts. Counters and histograms sum all agent ids, including former
 * ones, so they never decrease. Gauges sum agent ids with fresh reports. The size is bounded, whatever a report
 * contains.
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

  /** Number of dropped series since the ledger exists. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Reads a report and drops series that do not fit; null: none were dropped. For external agents it reads one report
   * per second: totals only grow, and the last report is read when the agent ends.
   */
  take(report: MetricsReport, nowMs: number, hosting: AgentHosting): DroppedSeries | null {
    const size = Math.max(1, seriesOf(report));
    if (report.agentId.length > agentMetricsLimits.agentIdLength) {
      return this.#drop({ count: size, reason: 'the agent id is too long' });
    }
    this.#expire(nowMs);
    const reporter = this.#reporterOf(report.agentId, nowMs, hosting);
    if (reporter === null) return this.#drop({ count: size, reason: 'there are too many agent ids' });
    return reporter.begin(report, nowMs) ? this.#read(reporter, report) : null;
  }

  /** Ends an unreachable agent id: its gauges go, its totals stay. Null: nothing was dropped. */
  ended(agentId: string): DroppedSeries | null {
    const reporter = this.#reporters.get(agentId);
    if (reporter === undefined) return null;
    reporter.end();
    const dropped = this.#readHeld(reporter);
    this.#gauges.forget(reporter);
    // It will not report again, and only its end frees its entry.
    if (reporter.hosting === 'embedded') this.#forget(agentId, reporter);
    return dropped;
  }

  /** All families for exposition, with this agent name. */
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

  /** Releases the names of its families. The ledger must not be used afterwards. */
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

  /** Reads the held report of an ended agent, without gauges, which are outdated. */
  #readHeld(reporter: ReportingAgent): DroppedSeries | null {
    const held = reporter.takeHeld();
    return held === null ? null : this.#read(reporter, { ...held, gauges: [] });
  }

  #drop(dropped: DroppedSeries | null): DroppedSeries | null {
    this.#dropped += dropped?.count ?? 0;
    return dropped;
  }

  /** Null: there is no room. Embedded agents do not count, because the gateway itself bounds their number. */
  #reporterOf(agentId: string, nowMs: number, hosting: AgentHosting): ReportingAgent | null {
    const known = this.#reporters.get(agentId);
    if (known !== undefined) return known;
    const isFull = this.#reporters.size >= agentMetricsLimits.agentIds;
    if (hosting === 'external' && isFull && !this.#makeRoom(nowMs)) return null;
    const reporter = new ReportingAgent(nowMs, hosting);
    this.#reporters.set(flatText(agentId), reporter);
    return reporter;
  }

  /** Evicts an agent id that is gone. The next report of a live one would count twice. */
  #makeRoom(nowMs: number): boolean {
    let chosen: readonly [string, ReportingAgent] | null = null;
    for (const entry of this.#reporters) {
      if (entry[1].isGone(nowMs) && (chosen === null || entry[1].isEvictedBefore(chosen[1]))) chosen = entry;
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
