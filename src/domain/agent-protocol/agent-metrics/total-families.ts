import type { ReportedValue } from '../metrics-report.js';
import type { DropReason } from './dropped-series.js';
import { flatText } from './flat-text.js';
import { helpText, keptLabels, sortedLabels } from './reported-text.js';
import { growth, type ReportedTotal, sameBounds } from './reported-total.js';
import type { ReportingAgent } from './reporting-agent.js';
import type { SeriesRoom } from './series-room.js';

export interface TotalSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly bounds: readonly number[];
  /** What all agents together have counted, in the order of `ReportedTotal`. */
  readonly values: readonly number[];
}

interface AddedSeries extends TotalSeries {
  values: readonly number[];
  /** What each agent id had counted by its last report. */
  readonly before: Map<ReportingAgent, readonly number[]>;
}

interface TotalFamily {
  readonly help: string;
  readonly series: Map<string, AddedSeries>;
}

const linesOf = (bounds: readonly number[]): number => (bounds.length === 0 ? 1 : bounds.length + 2);

/** Counters, or histograms, which only ever grow: a series stays for good, whatever becomes of those who counted. */
export class TotalFamilies {
  readonly #type: 'counter' | 'histogram';
  readonly #room: SeriesRoom;
  readonly #families = new Map<string, TotalFamily>();

  constructor(type: 'counter' | 'histogram', room: SeriesRoom) {
    this.#type = type;
    this.#room = room;
  }

  /** @param seen the series of the same report */
  add(
    reporter: ReportingAgent,
    seen: Set<TotalSeries>,
    { name, help, labels }: Omit<ReportedValue, 'value'>,
    total: ReportedTotal | null,
  ): DropReason | null {
    const sorted = sortedLabels(labels);
    if (sorted === null) return 'its labels are not well-formed';
    if (total === null) return 'its value is none of its type';
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

  /** An agent id is not expected any more. */
  forget(reporter: ReportingAgent): void {
    for (const { series } of this.#families.values()) {
      for (const { before } of series.values()) before.delete(reporter);
    }
  }

  all(): readonly { readonly name: string; readonly help: string; readonly series: readonly TotalSeries[] }[] {
    return Array.from(this.#families, ([name, { help, series }]) => ({ name, help, series: [...series.values()] }));
  }
}
