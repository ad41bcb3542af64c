import type { GatewayGauges } from '../../../application/ports/gateway-metrics.js';
import type { WorkerFigures } from '../../../application/ports/gateway-state.js';
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

const delays = ({ id, eventLoopDelay: { p50Ms, p99Ms, maxMs } }: WorkerFigures): readonly Sample[] =>
  (
    [
      ['0.5', p50Ms],
      ['0.99', p99Ms],
      ['1', maxMs],
    ] as const
  ).map(([quantile, ms]) => ({ labels: { worker: id, quantile }, value: Math.round(ms * 1000) / 1e6 }));

const isUp = (gauges: GatewayGauges): readonly Sample[] =>
  [
    ...gauges.workers().map(({ id }) => ({ labels: { worker: id }, value: 1 })),
    ...gauges.missingWorkers().map((worker) => ({ labels: { worker }, value: 0 })),
  ].sort((left, right) => left.labels.worker - right.labels.worker);

/** How each worker is. */
export const workerGauges: readonly WorkerGauge[] = [
  { definition: metricDefinitions.workerUp, samples: isUp },
  ofEach(metricDefinitions.workerMemoryUsage, ({ memory }) => memory.residentBytes),
  ofEach(metricDefinitions.workerConnections, ({ connections }) => connections),
  ofEach(metricDefinitions.workerRequestsInFlight, ({ requestsInFlight }) => requestsInFlight),
  { definition: metricDefinitions.workerEventLoopDelay, samples: (gauges) => gauges.workers().flatMap(delays) },
];
