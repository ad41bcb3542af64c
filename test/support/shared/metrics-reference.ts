import {
  type MetricDefinition,
  metricDefinitions,
} from '../../../src/adapters/outbound/prometheus-metrics/metric-definitions.js';
import { maxFrameLength } from '../../../src/adapters/wire/agent-frames/frame-decoder.js';
import { AgentServiceCounters } from '../../../src/application/agent/agent-service/agent-service-counters.js';
import { maximumAddresses } from '../../../src/application/gateway/choose-upstream/host-lookups.js';
import { maxCertificatesPerName } from '../../../src/application/gateway/run-gateway/certificates-in-use.js';
import { agentMetricPrefix, type MetricType } from '../../../src/domain/agent-protocol/agent-metrics/metric-family.js';
import { agentMetricsLimits } from '../../../src/domain/agent-protocol/agent-metrics/metric-limits.js';
import type { ReportedValue } from '../../../src/domain/agent-protocol/metrics-report.js';
import { wrapProse } from './wrap-prose.js';

/** A report of gateway-auth that contains every series. */
const agentReport = () => {
  const counters = new AgentServiceCounters();
  counters.succeeded('jwt', 0.001);
  counters.failed({ method: 'jwt', reason: 'expired' }, 0.001);
  counters.authorized('allow', 'deny');
  counters.completed();
  counters.signedOn();
  counters.refreshedTokens('refreshed');
  counters.exchanged('issued');
  counters.refreshedKeys('success');
  counters.introspected('active');
  return counters.report('id', 0, 10_000, {
    sessions: { saml: 1, oidc: 1 },
    certificates: [{ subject: 'CN=idp', expiryMs: 0 }],
  });
};

/** The metrics of gateway-auth as the gateway exposes them. */
export const agentDefinitions = (): readonly MetricDefinition[] => {
  const { counters, gauges, histograms } = agentReport();
  const definition = (type: MetricType, { name, help, labels }: Omit<ReportedValue, 'value'>): MetricDefinition => ({
    name: agentMetricPrefix + name,
    type,
    help: `${help}.`,
    labels: ['agent', ...Object.keys(labels)],
  });
  return [
    ...counters.map((counter) => definition('counter', counter)),
    // A gauge with a series for each value of a label has one definition.
    ...new Map(gauges.map((gauge) => [gauge.name, definition('gauge', gauge)])).values(),
    ...histograms.map(({ buckets, ...histogram }) => ({
      ...definition('histogram', histogram),
      buckets: buckets.map(({ le }) => le).filter(Number.isFinite),
    })),
  ];
};

const { families, lines, nameLength, labels, labelValueLength, buckets, helpLength, agentIds } = agentMetricsLimits;

const list = (items: readonly (string | number)[]): string => items.map((item) => `\`${item}\``).join(', ');

const row = ({ name, type, help, labels: names }: MetricDefinition): string =>
  `| \`${name}\` | ${type} | ${names.length === 0 ? '' : list(names)} | ${help} |`;

const bucketsRow = ({ name, buckets: bounds = [] }: MetricDefinition): string =>
  `| \`${name}\` | ${bounds.join(', ')} |`;

/** The text of docs/reference/metrics.md. */
export const metricsReference = (): string => {
  const definitions: readonly MetricDefinition[] = Object.values(metricDefinitions);
  const ofAgent = agentDefinitions();
  const histograms = [...definitions, ...ofAgent].filter(({ type }) => type === 'histogram');
  return wrapProse(`# Metrics

<!-- Generated from src/adapters/outbound/prometheus-metrics/metric-definitions.ts:
UPDATE_DOCS=1 npx vitest run --project unit metrics-reference -->

On this page you look up the name, type, labels and meaning of each metric. \`GET /metrics\` on the admin address, or on a
route with \`builtin-handler "metrics"\`, returns them in the Prometheus text format. Names never change.

Every series also has the label \`instance\`: the \`instance\` of the \`system\` block, by default the host name. A Prometheus
server that sets its own \`instance\` renames this one to \`exported_instance\`, or keeps it with \`honor_labels: true\`.

The first table lists the gateway's own metrics; [agent metrics](#what-agents-report) follow. Label values come from the
configuration, with three exceptions:

- The [address](../guides/monitoring.md#targets-that-are-names) of a target whose name DNS resolves, at most ${maximumAddresses} per
  name.
- \`status\`, a status code from 100 to 599, or 0 for any other number.
- \`subject\`, at most ${maxCertificatesPerName} per listener, upstream and agent: see [certificates](../guides/monitoring.md#certificates).

Clients therefore cannot create series. Counters survive a reload. A series of a removed route, upstream or agent remains
until the gateway ends.

| Name | Type | Labels | Meaning |
|---|---|---|---|
${definitions.map(row).join('\n')}

## Several workers

With several workers (\`worker-threads\`), every metric describes the whole gateway, on every worker. Metrics with the label
\`worker\` describe a single worker, numbered from 1.

- Counters and histograms are summed, including those of ended workers, so they do not fall when a worker dies. The
  supervisor reads them every 5 seconds and at each scrape. A killed worker loses its counts since the last read.
- Gauges are summed, with exceptions. For an agent, a circuit breaker, a target and an upstream, the worst state of any
  worker counts, because each worker judges by itself. For a certificate, the earliest expiry counts.
  \`gateway_memory_limited\` is 1 if it is 1 in any worker.
- A worker that does not answer within half a second is skipped: its \`gateway_worker_up\` is 0, its last counts remain, and
  its share of the gauges is missing. If the supervisor does not answer, \`/metrics\` returns 503.
- \`gateway_config_reloads_total\` counts each reload once. \`gateway_memory_usage_bytes\` includes the supervisor.

## What agents report

Agents report their own metrics to the gateway, by default every 10 seconds. The gateway exposes each as
\`gateway_agent_<name>\`, with the name of the agent's block as label \`agent\` and the labels from the report. An embedded
agent reports at each scrape. \`gateway-auth\` reports the following; a series with further labels appears after its first
event:

| Name | Type | Labels | Meaning |
|---|---|---|---|
${ofAgent.map(row).join('\n')}

- An agent counts once per block, for any number of connections. Two blocks with the same agent count it twice, each under
  its own name. Several agents behind one block, at once or in succession, are summed.
- Counters and histograms never decrease: a restarted agent, or an embedded one that a reload recreates, adds to the earlier
  counts. \`gateway-auth\` sends a last report before it ends, which includes its drain. A killed agent loses its counts since
  its last report. Counts start at 0 with the gateway, or at the current counts of a running agent for all its gateways.
- An agent with connections to several workers counts once. Embedded agents of several workers are separate agents, and
  their reports are summed.
- A gauge is the sum over running agents, for the end of a certificate the earliest, and is omitted if that is not a finite number. It disappears when the agent's last
  connection ends, or after three intervals without a report.
- A reload that removes the block removes its series and its count of dropped metrics.

An agent cannot corrupt \`/metrics\`. The gateway drops the following, counts it in \`gateway_agent_metrics_dropped_total\`, and
logs the first reason in a WARN line at most once in 60 seconds. The rest of the report counts.

- A name that does not match \`[a-zA-Z_][a-zA-Z0-9_]*\`, has more than ${nameLength} characters, or belongs to the gateway. Also a
  name that has another type already, in the table above or from another agent.
- More than ${labels} labels; a label name that does not match, begins with \`__\` or is \`agent\`, \`instance\` or \`le\`; a label value
  of more than ${labelValueLength} characters or with a control character.
- A gauge that is not finite; a counter below 0 or above 2^64.
- A histogram with more than ${buckets} buckets, with bounds that do not rise or have changed, or with falling counts. Also one whose
  last bound is not \`+Inf\` with the total count, or whose sum is below 0.
- A series that occurs twice in a report.
- Everything beyond ${families} names or ${lines} lines per agent. A counter or gauge is one line, a histogram one per bucket and two
  more.

Two faults have wider effects:

- A report that violates the [protocol](../guides/agents.md), for example with a string where a number belongs or with a
  number that is not finite, is ignored as a whole and not counted. The log says \`Agent sent an unreadable report\`, once
  until the agent reconnects after an absence.
- An unreadable message ends the connection: invalid JSON, more than ${maxFrameLength} octets, 200000 values or 128 nesting levels.

A counter or histogram keeps its type and buckets while its block exists. If an upgraded agent changes them, the gateway
drops that metric until it restarts, or until one reload removes the block and another adds it again.

Help texts are cut after ${helpLength} characters. Each block remembers the last reports of ${agentIds} agent ids. A departed agent id makes
room for the next one; without a departed one, further reports are dropped and counted. For an agent id on a socket, the
gateway reads at most one report per second, and always the last one.

## Buckets

A histogram has the series \`_bucket\` (label \`le\`), \`_sum\` and \`_count\`. Upper bounds of the buckets, in seconds:

| Name | Bounds |
|---|---|
${histograms.map(bucketsRow).join('\n')}
`);
};
