/** Counters that the supervisor keeps for all workers. The names never change. */
export const supervisedCounters = {
  reloads: 'gateway_config_reloads_total',
  restarts: 'gateway_worker_restarts_total',
  agentSeriesDropped: 'gateway_agent_metrics_dropped_total',
} as const;

/** The supervisor's count is added to those of its workers. */
export const auditRecordsDropped = 'gateway_audit_dropped_total';

/** One series of a counter or histogram. It never decreases while its process runs. */
export interface CountedSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Counter: its value. Histogram: the sum of observations. */
  readonly value: number;
  /** Histogram: observations in each bucket, the last above all bounds. Counter: empty. */
  readonly counts: readonly number[];
}

/** A counter or histogram with all its series. Plain data, so that it can pass between processes. */
export interface CountedFamily {
  /** The exposed name. */
  readonly name: string;
  readonly series: readonly CountedSeries[];
}

const byCodeUnits = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const keyOf = ({ labels }: CountedSeries): string =>
  JSON.stringify(Object.entries(labels).sort(([left], [right]) => byCodeUnits(left, right)));

/** Adds bucket by bucket. Different builds may have different bounds; the result has the longer length. */
const addBuckets = (one: readonly number[], other: readonly number[]): readonly number[] => {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other];
  return longer.map((count, bucket) => count + (shorter[bucket] ?? 0));
};

const addSeries = (one: CountedSeries, other: CountedSeries): CountedSeries => ({
  labels: one.labels,
  value: one.value + other.value,
  counts: addBuckets(one.counts, other.counts),
});

/**
 * Sums the counts of several processes. Series are sorted by name and labels, so the order of processes does not
 * matter.
 */
export const addCounts = (processes: readonly (readonly CountedFamily[])[]): readonly CountedFamily[] => {
  const families = new Map<string, Map<string, CountedSeries>>();
  for (const { name, series } of processes.flat()) {
    const known = families.get(name) ?? new Map<string, CountedSeries>();
    families.set(name, known);
    for (const one of series) {
      const key = keyOf(one);
      const before = known.get(key);
      known.set(key, before === undefined ? one : addSeries(before, one));
    }
  }
  return [...families]
    .sort(([left], [right]) => byCodeUnits(left, right))
    .map(([name, series]) => ({
      name,
      series: [...series].sort(([left], [right]) => byCodeUnits(left, right)).map(([, one]) => one),
    }));
};
