import type { Metric } from 'prom-client';
import type { GatewayGauges } from '../../../application/ports/gateway/gateway-metrics.js';
import type { CountedFamily } from '../../../domain/gateway/status/counted-family.js';
import { countedSamples } from './counted-samples.js';
import { agentSamples, gaugeSamples } from './gauge-samples.js';
import { liveMetric, type Sample } from './live-metric.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';

/** Of the text format that the registry writes. */
export const expositionContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics as Prometheus text. Loads prom-client on the first call. */
export const registryText = async (metrics: readonly Metric[], instance: string | null = null): Promise<string> => {
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  if (instance !== null) registry.setDefaultLabels({ instance });
  for (const metric of metrics) registry.registerMetric(metric);
  return registry.metrics();
};

/**
 * Metrics as Prometheus text in the order of the definitions, agent metrics last. Families without
 * a definition are omitted; another build may have counted them.
 */
export const expositionText = async (
  instance: string,
  counts: readonly CountedFamily[],
  gauges: GatewayGauges | null,
): Promise<string> => {
  const counted = new Map(counts.map(({ name, series }) => [name, series]));
  const families = gauges?.agentFamilies() ?? [];
  const gauged: ReadonlyMap<MetricDefinition, readonly Sample[]> =
    gauges === null ? new Map() : gaugeSamples(gauges, families);
  const metrics = Object.values<MetricDefinition>(metricDefinitions).flatMap((definition) => {
    const samples =
      definition.type === 'gauge' || definition.type === 'summary'
        ? gauged.get(definition)
        : countedSamples(definition, counted.get(definition.name) ?? []);
    return samples === undefined ? [] : [liveMetric(definition, () => samples)];
  });
  const own = await registryText(metrics, instance);
  if (families.length === 0) return own;
  const ofAgents = families.map((family) => liveMetric(family, () => agentSamples(family)));
  return `${own}\n${await registryText(ofAgents, instance)}`;
};
