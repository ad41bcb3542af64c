import type { MetricsReport } from '../metrics-report.js';
import { seriesOf } from './drop-tally.js';
import { agentMetricsLimits } from './metric-limits.js';

/** Whether a report is small enough to hold back. The check itself takes bounded time. */
export const isSmallReport = (report: MetricsReport): boolean => {
  if (seriesOf(report) > agentMetricsLimits.lines) return false;
  let left: number = agentMetricsLimits.heldSize;
  for (const { name, help, labels } of [...report.counters, ...report.gauges, ...report.histograms]) {
    left -= name.length + (help?.length ?? 0);
    for (const label in labels) {
      // Every label costs at least one.
      left -= label.length + (labels[label]?.length ?? 0) + 1;
      if (left < 0) return false;
    }
  }
  for (const { buckets } of report.histograms) left -= buckets.length;
  return left >= 0;
};
