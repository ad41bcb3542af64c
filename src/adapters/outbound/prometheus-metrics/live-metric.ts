import type { Metric } from 'prom-client';
import type { MetricDefinition } from './metric-definitions.js';

/** Cumulative `count` of values up to `le`. */
interface CumulativeBucket {
  readonly le: number | '+Inf';
  readonly count: number;
}

type Labels = Readonly<Record<string, string | number>>;

type MetricHead = Pick<MetricDefinition, 'name' | 'type' | 'help'>;

export interface Sample {
  /** Differs from the metric's name for buckets, sum and count of a histogram. */
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

/**
 * A metric for the prom-client registry that reads its values on a scrape: prom-client counters
 * look up labels by text on each increment, which is too slow per request.
 */
class LiveMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator = 'sum';
  readonly #samples: () => readonly Sample[];

  constructor(definition: MetricHead, samples: () => readonly Sample[]) {
    this.name = definition.name;
    this.help = definition.help;
    this.type = definition.type;
    this.#samples = samples;
  }

  get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values: this.#samples() });
  }
}

/** Creates a metric that reads from `samples`. */
export const liveMetric = (definition: MetricHead, samples: () => readonly Sample[]): Metric =>
  // The registry only calls `get`; prom-client's type also has methods that increment.
  new LiveMetric(definition, samples) as unknown as Metric;

/** Samples of one histogram with these labels; the last bucket counts all. */
export const histogramSamples = (
  name: string,
  labels: Labels,
  { sum, buckets }: { readonly sum: number; readonly buckets: readonly CumulativeBucket[] },
): readonly Sample[] => [
  ...buckets.map(({ le, count }) => ({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: count })),
  { metricName: `${name}_sum`, labels, value: sum },
  { metricName: `${name}_count`, labels, value: buckets.at(-1)?.count ?? 0 },
];
