import type { MetricsReport } from '../metrics-report.js';
import type { DroppedSeries, DropReason } from './dropped-series.js';
import { agentMetricsLimits } from './metric-limits.js';

/** Number of series of all kinds in a report. */
export const seriesOf = ({ counters, gauges, histograms }: MetricsReport): number =>
  counters.length + gauges.length + histograms.length;

/** Counts the dropped series of one report. */
export class DropTally {
  #unread: number;
  #faults = 0;
  #reason: DropReason | null = null;

  /** @param series number of series in the report; each is noted unless the tally is full */
  constructor(series: number) {
    this.#unread = series;
  }

  /** There are so many faults that the rest stays unread. */
  get isFull(): boolean {
    return this.#faults >= agentMetricsLimits.faults;
  }

  /** Notes a series; null: it was accepted. */
  note(fault: DropReason | null): void {
    this.#unread -= 1;
    if (fault === null) return;
    this.#faults += 1;
    this.#reason ??= fault;
  }

  /** Null: everything was accepted. */
  dropped(): DroppedSeries | null {
    if (this.#reason === null) return null;
    return { count: this.isFull ? this.#faults + this.#unread : this.#faults, reason: this.#reason };
  }
}
