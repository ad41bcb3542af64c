import {
  type MetricDefinition,
  metricDefinitions,
} from '../../src/adapters/outbound/prometheus-metrics/metric-definitions.js';

const list = (items: readonly (string | number)[]): string => items.map((item) => `\`${item}\``).join(', ');

const row = ({ name, type, help, labels }: MetricDefinition): string =>
  `| \`${name}\` | ${type} | ${labels.length === 0 ? '' : list(labels)} | ${help} |`;

const bucketsRow = ({ name, buckets = [] }: MetricDefinition): string => `| \`${name}\` | ${buckets.join(', ')} |`;

/** The text of docs/reference/metrics.md. */
export const metricsReference = (): string => {
  const definitions: readonly MetricDefinition[] = Object.values(metricDefinitions);
  const histograms = definitions.filter(({ type }) => type === 'histogram');
  return `# Metrics

<!-- Made from src/adapters/outbound/prometheus-metrics/metric-definitions.ts by the unit tests: UPDATE_DOCS=1 npx vitest run --project unit metrics-reference -->

\`GET /metrics\` on the admin address, or on a route with \`builtin-handler "metrics"\`, gives these metrics as Prometheus
text. The names never change.

Every series also has the label \`instance\`: the \`instance\` of the \`system\` block, by default the host name. A Prometheus
server that sets an \`instance\` of its own keeps this one as \`exported_instance\`, or in its place with \`honor_labels: true\`.

The values of labels come from the configuration alone, and \`status\` is a status code from 100 to 599, or 0 for a number
that is none: nothing that a client sends makes a new series. Counters go on over a reload; a series whose route,
upstream or agent is no longer configured stays until the gateway ends.

| Name | Type | Labels | Meaning |
|---|---|---|---|
${definitions.map(row).join('\n')}

A histogram has the series \`_bucket\` (label \`le\`), \`_sum\` and \`_count\`. Upper bounds of the buckets, in seconds:

| Name | Bounds |
|---|---|
${histograms.map(bucketsRow).join('\n')}
`;
};
