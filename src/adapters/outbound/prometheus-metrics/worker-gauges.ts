import type { GatewayGauges } from '../../../application/ports/gateway/gateway-metrics.js';
import type { WorkerFigures } from '../../../application/ports/gateway/gateway-state.js';
import type { Sample } from './live-metric.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';

interface WorkerGauge {
  readonly definition: MetricDefinition;
  readonly samples: (gauges: GatewayGauges) => readonly Sample[];
}

const ofEach = (definition: MetricDefinition, figure: (worker: WorkerFigures) => number): WorkerGauge => ({
  definition,
  samples: (gauges) => gauges.workers().map((worker) => ({ labels: { worker: worker.id }, value: figure(worker) })),
});

const seconds = (ms: number): number => Math.round(ms * 1000) / 1e6;

const delays = ({ id, eventLoopDelay }: WorkerFigures): readonly Sample[] => {
  const { name } = metricDefinitions.workerEventLoopDelay;
  const { p50Ms, p99Ms, maxMs, sumMs, count } = eventLoopDelay;
  const quantiles = [
    ['0.5', p50Ms],
    ['0.99', p99Ms],
    ['1', maxMs],
  ] as const;
  return [
    ...quantiles.map(([quantile, ms]) => ({ labels: { worker: id, quantile }, value: seconds(ms) })),
    { metricName: `${name}_sum`, labels: { worker: id }, value: seconds(sumMs) },
    { metricName: `${name}_count`, labels: { worker: id }, value: count },
  ];
};

const isUp = (gauges: GatewayGauges): readonly Sample[] =>
  [
    ...gauges.workers().map(({ id }) => ({ labels: { worker: id }, value: 1 })),
    ...gauges.missingWorkers().map((worker) => ({ labels: { worker }, value: 0 })),
  ].sort((left, right) => left.labels.worker - right.labels.worker);

/** Gauges of each worker. */
export const workerGauges: readonly WorkerGauge[] = [
  { definition: metricDefinitions.workerUp, samples: isUp },
  ofEach(metricDefinitions.workerMemoryUsage, ({ memory }) => memory.residentBytes),
  ofEach(metricDefinitions.workerConnections, ({ connections }) => connections),
  ofEach(metricDefinitions.workerRequestsInFlight, ({ requestsInFlight }) => requestsInFlight),
  { definition: metricDefinitions.workerEventLoopDelay, samples: (gauges) => gauges.workers().flatMap(delays) },
];
