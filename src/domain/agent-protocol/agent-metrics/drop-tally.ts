import type { MetricsReport } from '../metrics-report.js';
import type { DroppedSeries, DropReason } from './dropped-series.js';
import { agentMetricsLimits } from './metric-limits.js';

/** How many series a report has, of whatever kind. */
export const seriesOf = ({ counters, gauges, histograms }: MetricsReport): number =>
  counters.length + gauges.length + histograms.length;

/** What is not taken of one report. */
export class DropTally {
  #unread: number;
  #faults = 0;
  #reason: DropReason | null = null;

  /** @param series of the report, each of which is noted unless the tally is full */
  constructor(series: number) {
    this.#unread = series;
  }

  /** So much is wrong that the rest is not looked at. */
  get isFull(): boolean {
    return this.#faults >= agentMetricsLimits.faults;
  }

  /** A series was read: null where it was taken. */
  note(fault: DropReason | null): void {
    this.#unread -= 1;
    if (fault === null) return;
    this.#faults += 1;
    this.#reason ??= fault;
  }

  /** Null where everything was taken. */
  dropped(): DroppedSeries | null {
    if (this.#reason === null) return null;
    return { count: this.isFull ? this.#faults + this.#unread : this.#faults, reason: this.#reason };
  }
}
