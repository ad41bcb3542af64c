import type { ReportedHistogram } from '../metrics-report.js';
import { agentMetricsLimits } from './metric-limits.js';

/** What a counter or a histogram has come to: numbers none of which goes down while its agent runs. */
export interface ReportedTotal {
  /** Upper bounds of the buckets; empty for a counter. */
  readonly bounds: readonly number[];
  /** Of a counter its value; of a histogram its sum, then the cumulative count of each bucket. */
  readonly values: readonly number[];
}

const isTotal = (value: number): boolean => value >= 0 && value <= agentMetricsLimits.total;

/** Null where the value is none that a counter can have. */
export const counterTotal = (value: number): ReportedTotal | null =>
  isTotal(value) ? { bounds: [], values: [value] } : null;

/** Null where the buckets do not fit together. */
export const histogramTotal = ({ sum, count, buckets }: ReportedHistogram): ReportedTotal | null => {
  const last = buckets.at(-1);
  if (last?.le !== Number.POSITIVE_INFINITY || last.count !== count) return null;
  if (buckets.length > agentMetricsLimits.buckets || !isTotal(sum)) return null;
  let bound = Number.NEGATIVE_INFINITY;
  let below = 0;
  for (const { le, count: upToHere } of buckets) {
    // Also where a bound is no number.
    if (!(le > bound) || !Number.isSafeInteger(upToHere) || upToHere < below) return null;
    bound = le;
    below = upToHere;
  }
  return { bounds: buckets.map(({ le }) => le), values: [sum, ...buckets.map((bucket) => bucket.count)] };
};

export const sameBounds = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((bound, index) => bound === other[index]);

/** By how much a total has grown: from zero on where any part of it is smaller, for then it has been counted anew. */
export const growth = (values: readonly number[], before: readonly number[] | undefined): readonly number[] => {
  if (before === undefined || values.some((value, index) => value < (before[index] ?? 0))) return values;
  return values.map((value, index) => value - (before[index] ?? 0));
};
