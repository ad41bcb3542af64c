import {
  type MetricDefinition,
  metricDefinitions,
} from '../../../src/adapters/outbound/prometheus-metrics/metric-definitions.js';
import { maxFrameLength } from '../../../src/adapters/wire/agent-frames/frame-decoder.js';
import { AgentServiceCounters } from '../../../src/application/agent/agent-service/agent-service-counters.js';
import { maximumAddresses } from '../../../src/application/gateway/choose-upstream/host-lookups.js';
import { agentMetricPrefix, type MetricType } from '../../../src/domain/agent-protocol/agent-metrics/metric-family.js';
import { agentMetricsLimits } from '../../../src/domain/agent-protocol/agent-metrics/metric-limits.js';
import type { ReportedValue } from '../../../src/domain/agent-protocol/metrics-report.js';

/** A report of our agent in which everything that it counts has happened. */
const agentReport = () => {
  const counters = new AgentServiceCounters();
  counters.succeeded('jwt', 0.001);
  counters.failed({ method: 'jwt', reason: 'expired' }, 0.001);
  counters.authorized('allow', 'deny');
  counters.completed();
  counters.exchanged('issued');
  counters.refreshedKeys('success');
  return counters.report('id', 0, 10_000, 1);
};

/** What our agent reports, as the gateway exposes it. */
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
    ...gauges.map((gauge) => definition('gauge', gauge)),
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
  return `# Metrics

<!-- Made from src/adapters/outbound/prometheus-metrics/metric-definitions.ts by the unit tests: UPDATE_DOCS=1 npx vitest run --project unit metrics-reference -->

\`GET /metrics\` on the admin address, or on a route with \`builtin-handler "metrics"\`, gives these metrics as Prometheus
text. The names never change.

Every series also has the label \`instance\`: the \`instance\` of the \`system\` block, by default the host name. A Prometheus
server that sets an \`instance\` of its own keeps this one as \`exported_instance\`, or in its place with \`honor_labels: true\`.

What the gateway counts itself comes first. The values of its labels come from the configuration; from DNS where a target is a name
and the label an [address](../guides/monitoring.md#targets-that-are-names), of which a name has ${maximumAddresses} at most; and \`status\` is a
status code from 100 to 599, or 0 for a number that is none: nothing that a client sends makes a new series. Counters go on over a reload; a series whose route,
upstream or agent is no longer configured stays until the gateway ends. [What agents report](#what-agents-report) follows.

| Name | Type | Labels | Meaning |
|---|---|---|---|
${definitions.map(row).join('\n')}

## Several workers

Where \`worker-threads\` asks for several workers, every figure is that of the whole gateway, whichever of them is asked; those with the
label \`worker\` are of one of them, by its number from 1 on.

- Counters and histograms add up, those of workers that have ended included: they do not fall when a worker dies. What it has
  counted is asked for every 5 seconds and at each scrape; where it is killed, what came after that is lost.
- Gauges add up too, with these exceptions: an agent, a circuit breaker, a target and an upstream are as bad as they are for the worst
  off of the workers, each of which judges for itself, and \`gateway_memory_limited\` is 1 where it is so for any.
- A worker that gives no answer within half a second is left out: its \`gateway_worker_up\` is 0, its last counts stay, and
  its part of the gauges is missing. Where the process that watches over the workers gives none, the answer is a 503.
- \`gateway_config_reloads_total\` counts a reload once. \`gateway_memory_usage_bytes\` has that process too.

## What agents report

Agents report metrics of their own to the gateway, by default every 10 seconds. It exposes each as \`gateway_agent_<name>\`,
with the name of the agent's block as label \`agent\` and the labels that the agent gave it. An agent in the gateway's process
is asked at each scrape. \`gateway-auth\` reports these; one with labels of its own is there once it has happened:

| Name | Type | Labels | Meaning |
|---|---|---|---|
${ofAgent.map(row).join('\n')}

- An agent counts once for its block, however many connections it has to the gateway; two blocks that name one agent count
  twice, each under its own name. Where several agents run behind one block, or one after the other, what they report is added up.
- Counters and histograms never go backwards: an agent that restarts, and an embedded one that a reload makes anew, adds to
  what was counted before. \`gateway-auth\` reports once more before it ends, also what
  it counted while it drained. What an agent counted after its last report is lost where it is killed. They begin at 0 when the
  gateway starts, or at what a running agent has counted by then, for all its gateways.
- An agent that several workers are connected to counts once. The embedded agents of the workers are as many agents, whose reports are added up.
- A gauge is the sum of what running agents say, left out where that is no finite number. It goes when their last connection ends, or after three intervals without a
  report.
- Where the block goes from the configuration, these series go with the reload, and so does its count of what was left out.

An agent cannot spoil \`/metrics\`. These are left out, counted in \`gateway_agent_metrics_dropped_total\`, and told of in a
WARN line at most once in 60 seconds, with the first reason; the rest of the report counts:

- a name that does not match \`[a-zA-Z_][a-zA-Z0-9_]*\`, has more than ${nameLength} characters, is one of the gateway's own, or is
  that of another type already, be it of another agent, or in the table above;
- more than ${labels} labels, a name that does not match, begins with \`__\` or is \`agent\`, \`instance\` or \`le\`, a value of more than
  ${labelValueLength} characters or with a control character;
- a gauge that is not finite, a counter below 0 or above 2^64; a histogram of more than ${buckets} buckets, whose bounds do not rise or
  are others than before, whose counts go down, or whose last bound is not \`+Inf\` with the count of all, or with a sum below 0;
- a series that comes twice in a report;
- what goes beyond ${families} names or ${lines} lines for each agent; a counter or a gauge is a line, a histogram one for each bucket
  and two more.

Two things go further. A report that has not the form of the [protocol](../guides/agents.md), as one with a text where a number
belongs or a number that is not finite, is left out whole: no count has it, and the log says \`Agent sent an unreadable report\`, once until the
agent is found again after it was away. What cannot be read at all ends the connection: no JSON, more than ${maxFrameLength} octets,
200000 values or 128 levels of nesting.

A counter or a histogram keeps its type and its buckets as long as its block is there. Where an upgrade of an agent changes
them, what it reports under that name is left out until the gateway restarts, or until a reload without the block and another
one with it.

A help text ends after ${helpLength} characters. The last reports of ${agentIds} agent ids are remembered for each block. One that is gone
makes room for the next; while none is, what others report is left out and counted. Of an agent id on a socket one report a second is read,
and the last one when it ends.

## Buckets

A histogram has the series \`_bucket\` (label \`le\`), \`_sum\` and \`_count\`. Upper bounds of the buckets, in seconds:

| Name | Bounds |
|---|---|
${histograms.map(bucketsRow).join('\n')}
`;
};
