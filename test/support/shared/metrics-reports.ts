import type { AgentMetricFamily } from '../../../src/domain/agent-protocol/agent-metrics/metric-family.js';
import type {
  MetricsReport,
  ReportedHistogram,
  ReportedValue,
} from '../../../src/domain/agent-protocol/metrics-report.js';

/** A report of the agent id `one`, of nothing. */
export const metricsReport = (changes: Partial<MetricsReport> = {}): MetricsReport => ({
  agentId: 'one',
  timestampMs: 1_000,
  intervalMs: 10_000,
  counters: [],
  gauges: [],
  histograms: [],
  ...changes,
});

export const reportedValue = (
  value: number,
  name = 'things_total',
  labels: Readonly<Record<string, string>> = {},
): ReportedValue => ({ name, help: 'Things', labels, value });

/** A histogram with these cumulative counts of the buckets 1, 2, 3 ... and Infinity. */
export const reportedHistogram = (
  counts: readonly number[],
  sum = 1,
  changes: Partial<ReportedHistogram> = {},
): ReportedHistogram => ({
  name: 'took_seconds',
  help: 'Time',
  labels: {},
  sum,
  count: counts.at(-1) ?? 0,
  buckets: counts.map((count, index) => ({
    le: index === counts.length - 1 ? Number.POSITIVE_INFINITY : index + 1,
    count,
  })),
  ...changes,
});

/** One line for each series, without the common prefix; a histogram has its sum, then its counts. */
export const seriesLines = (families: readonly AgentMetricFamily[]): readonly string[] =>
  families.flatMap(({ name, ...family }) =>
    family.type === 'histogram'
      ? family.series.map(
          ({ agent, labels, sum, buckets }) =>
            `${name.slice(14)} ${agent} ${JSON.stringify(labels)} ${sum}: ${buckets.map(({ count }) => count).join(' ')}`,
        )
      : family.series.map(
          ({ agent, labels, value }) => `${name.slice(14)} ${agent} ${JSON.stringify(labels)} ${value}`,
        ),
  );
