import { sampleNames } from '../../../domain/agent-protocol/agent-metrics/family-names.js';
import type { AgentMetricFamily } from '../../../domain/agent-protocol/agent-metrics/metric-family.js';
import { histogramSamples, type Sample } from './live-metric.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';

/** The series of a family that agents report. */
export const agentSamples = (family: AgentMetricFamily): readonly Sample[] =>
  family.type === 'histogram'
    ? family.series.flatMap(({ agent, labels, sum, buckets }) =>
        histogramSamples(
          family.name,
          { agent, ...labels },
          {
            sum,
            buckets: buckets.map(({ le, count }) => ({ le: le === Number.POSITIVE_INFINITY ? '+Inf' : le, count })),
          },
        ),
      )
    : family.series.map(({ agent, labels, value }) => ({ labels: { agent, ...labels }, value }));

/** Names of samples that no family of an agent can have: they are the gateway's own. */
export const ownSampleNames: ReadonlySet<string> = new Set(
  Object.values<MetricDefinition>(metricDefinitions).flatMap(({ name, type }) => sampleNames(name, type)),
);
