import type { MetricsReport } from '../metrics-report.js';
import { seriesOf } from './drop-tally.js';
import { agentMetricsLimits } from './metric-limits.js';

/** Whether a report is small enough to be held back. What it takes to find out is bounded as well. */
export const isModest = (report: MetricsReport): boolean => {
  if (seriesOf(report) > agentMetricsLimits.lines) return false;
  let left: number = agentMetricsLimits.heldSize;
  for (const { name, help, labels } of [...report.counters, ...report.gauges, ...report.histograms]) {
    left -= name.length + (help?.length ?? 0);
    for (const label in labels) {
      // Each costs something, however short it is.
      left -= label.length + (labels[label]?.length ?? 0) + 1;
      if (left < 0) return false;
    }
  }
  for (const { buckets } of report.histograms) left -= buckets.length;
  return left >= 0;
};
