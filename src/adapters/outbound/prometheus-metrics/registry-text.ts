import type { Metric } from 'prom-client';

/** Of the text format that the registry writes. */
export const expositionContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics as Prometheus text. Loads prom-client with the first call. */
export const registryText = async (metrics: readonly Metric[], instance: string | null = null): Promise<string> => {
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  if (instance !== null) registry.setDefaultLabels({ instance });
  for (const metric of metrics) registry.registerMetric(metric);
  return registry.metrics();
};
