import type { GatewayGauges } from '../../../application/ports/gateway/gateway-metrics.js';
import type { CountedFamily } from '../../../domain/gateway/status/counted-family.js';
import { agentSamples } from './agent-samples.js';
import { countedSamples } from './counted-samples.js';
import { gaugeSamples } from './gauge-samples.js';
import { liveMetric, type Sample } from './live-metric.js';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.js';
import { registryText } from './registry-text.js';

/**
 * Figures as Prometheus text, in the order of the definitions; the metrics of agents come last. A family that is none of
 * the definitions is left out: another build of the program may have counted it.
 */
export const expositionText = async (
  instance: string,
  counts: readonly CountedFamily[],
  gauges: GatewayGauges | null,
): Promise<string> => {
  const counted = new Map(counts.map(({ name, series }) => [name, series]));
  const gauged: ReadonlyMap<MetricDefinition, readonly Sample[]> = gauges === null ? new Map() : gaugeSamples(gauges);
  const metrics = Object.values<MetricDefinition>(metricDefinitions).flatMap((definition) => {
    const samples =
      definition.type === 'gauge' || definition.type === 'summary'
        ? gauged.get(definition)
        : countedSamples(definition, counted.get(definition.name) ?? []);
    return samples === undefined ? [] : [liveMetric(definition, () => samples)];
  });
  const own = await registryText(metrics, instance);
  const families = gauges?.agentFamilies() ?? [];
  if (families.length === 0) return own;
  const ofAgents = families.map((family) => liveMetric(family, () => agentSamples(family)));
  return `${own}\n${await registryText(ofAgents, instance)}`;
};
