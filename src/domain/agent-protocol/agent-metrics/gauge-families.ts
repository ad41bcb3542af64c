import type { ReportedValue } from '../metrics-report.js';
import type { DropReason } from './dropped-series.js';
import { flatText } from './flat-text.js';
import { earliestGauges, sharedGauges } from './own-agent-families.js';
import { helpText, keptLabels, sortedLabels } from './reported-text.js';
import type { ReportingAgent } from './reporting-agent.js';
import type { SeriesRoom } from './series-room.js';

interface GaugeSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly values: Map<ReportingAgent, number>;
}

interface GaugeFamily {
  readonly help: string;
  readonly series: Map<string, GaugeSeries>;
}

/** Gauges. A series exists while an agent id reports it. */
export class GaugeFamilies {
  readonly #room: SeriesRoom;
  readonly #families = new Map<string, GaugeFamily>();
  /** Agent ids with at least one value. */
  readonly #reporters = new Set<ReportingAgent>();

  constructor(room: SeriesRoom) {
    this.#room = room;
  }

  /** INVARIANT: `forget` was called for the agent id before its report. */
  set(reporter: ReportingAgent, { name, help, labels, value }: ReportedValue): DropReason | null {
    const sorted = sortedLabels(labels);
    if (sorted === null) return 'its labels are not well-formed';
    if (!Number.isFinite(value)) return 'its value does not fit its type';
    const key = JSON.stringify(sorted);
    const family = this.#families.get(name);
    let series = family?.series.get(key);
    if (series === undefined) {
      const fault = this.#room.take(name, 'gauge', family === undefined, 1);
      if (fault !== null) return fault;
      series = { labels: keptLabels(sorted), values: new Map() };
      if (family === undefined)
        this.#families.set(flatText(name), { help: helpText(help), series: new Map([[key, series]]) });
      else family.series.set(key, series);
    }
    if (series.values.has(reporter)) return 'it comes twice';
    series.values.set(reporter, value);
    this.#reporters.add(reporter);
    return null;
  }

  /** Drops the values of an agent id. */
  forget(reporter: ReportingAgent): void {
    if (!this.#reporters.delete(reporter)) return;
    for (const [name, { series }] of this.#families) {
      for (const [key, { values }] of series) {
        if (!values.delete(reporter) || values.size > 0) continue;
        series.delete(key);
        this.#room.giveBack(name, series.size === 0, 1);
      }
      if (series.size === 0) this.#families.delete(name);
    }
  }

  /**
   * All families. The value of a series is the sum of its reports, the largest for a shared gauge, or the
   * earliest for a gauge of moments. Series without a finite value are omitted.
   */
  all(): readonly {
    readonly name: string;
    readonly help: string;
    readonly series: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
  }[] {
    return Array.from(this.#families, ([name, { help, series }]) => ({
      name,
      help,
      series: Array.from(series.values(), ({ labels, values }) => ({
        labels,
        value: combined(name, [...values.values()]),
      })).filter(({ value }) => Number.isFinite(value)),
    })).filter(({ series }) => series.length > 0);
  }
}

const combined = (name: string, values: readonly number[]): number => {
  if (sharedGauges.has(name)) return Math.max(...values);
  return earliestGauges.has(name) ? Math.min(...values) : sum(values);
};

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};
