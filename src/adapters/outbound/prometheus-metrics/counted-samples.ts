import type { CountedSeries } from '../../../domain/gateway/status/counted-family.js';
import { histogramSamples, type Sample } from './live-metric.js';
import type { MetricDefinition } from './metric-definitions.js';
import type { LatencyCounts } from './upstream-counters.js';

export const counterSeries = (labels: Readonly<Record<string, string>>, value: number): CountedSeries => ({
  labels,
  value,
  counts: [],
});

export const latencySeries = (
  labels: Readonly<Record<string, string>>,
  { sum, counts }: LatencyCounts,
): CountedSeries => ({ labels, value: sum, counts });

/** Cumulative counts per upper bound; the last is for `+Inf`. */
const cumulative = (bounds: readonly number[], counts: readonly number[]) => {
  let count = 0;
  return counts.map((own, bucket) => {
    count += own;
    return { le: bounds[bucket] ?? ('+Inf' as const), count };
  });
};

/** The samples of a counter or histogram. */
export const countedSamples = (
  { name, type, buckets = [] }: MetricDefinition,
  series: readonly CountedSeries[],
): readonly Sample[] =>
  type === 'histogram'
    ? series.flatMap(({ labels, value, counts }) =>
        histogramSamples(name, labels, { sum: value, buckets: cumulative(buckets, counts) }),
      )
    : series.map(({ labels, value }) => ({ labels, value }));
