/** Counters that a supervisor keeps for all of its workers. The names never change. */
export const supervisedCounters = {
  reloads: 'gateway_config_reloads_total',
  restarts: 'gateway_worker_restarts_total',
  agentSeriesDropped: 'gateway_agent_metrics_dropped_total',
} as const;

/** The supervisor's own are added to those of its workers. */
export const auditRecordsDropped = 'gateway_audit_dropped_total';

/** One series of what is counted. It never falls while its process lives. */
export interface CountedSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Of a counter its value, of a histogram the sum of what was measured. */
  readonly value: number;
  /** Of a histogram how much was measured in each bucket, the last of what is over all bounds; of a counter empty. */
  readonly counts: readonly number[];
}

/** A counter or a histogram with all of its series. Plain data: it passes between processes. */
export interface CountedFamily {
  /** As it is exposed. */
  readonly name: string;
  readonly series: readonly CountedSeries[];
}

const byCodeUnits = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const keyOf = ({ labels }: CountedSeries): string =>
  JSON.stringify(Object.entries(labels).sort(([left], [right]) => byCodeUnits(left, right)));

/** Bucket by bucket; as many as the longer has, where two builds of the program do not have the same bounds. */
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
 * What several processes have counted together: each series once, in the order of the names and labels. In whatever
 * order the processes are given, the sum is the same.
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
