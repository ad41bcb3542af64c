import type { Metric } from 'prom-client';
import type { MetricDefinition } from './metric-definitions.js';

/** `count` of what is not above `le`. */
interface CumulativeBucket {
  readonly le: number | '+Inf';
  readonly count: number;
}

type Labels = Readonly<Record<string, string | number>>;

type MetricHead = Pick<MetricDefinition, 'name' | 'type' | 'help'>;

export interface Sample {
  /** Differs from the metric's name for the parts of a histogram. */
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

/**
 * A metric for prom-client's registry whose values live elsewhere and are read when the registry asks: prom-client's own
 * counters look labels up by text on each increase, which a request does not have the time for.
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

/** A metric that the registry reads from `samples`. */
export const liveMetric = (definition: MetricHead, samples: () => readonly Sample[]): Metric =>
  // The registry calls no more than `get`; prom-client's type also names what increases a metric.
  new LiveMetric(definition, samples) as unknown as Metric;

/** The series of one histogram with these labels; the last bucket is of all. */
export const histogramSamples = (
  name: string,
  labels: Labels,
  { sum, buckets }: { readonly sum: number; readonly buckets: readonly CumulativeBucket[] },
): readonly Sample[] => [
  ...buckets.map(({ le, count }) => ({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: count })),
  { metricName: `${name}_sum`, labels, value: sum },
  { metricName: `${name}_count`, labels, value: buckets.at(-1)?.count ?? 0 },
];
