import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import { type FlowControl, flowControlCodes } from '../../../domain/agent-protocol/flow-control.js';
import { type AgentHealth, type AgentState, agentStateCodes } from '../../../domain/agent-protocol/health.js';
import type { MetricsReport } from '../../../domain/agent-protocol/metrics-report.js';
import { isJsonObject, type JsonObject } from '../../../domain/shared/json.js';
import {
  code,
  count,
  type FieldKind,
  filledText,
  flag,
  float,
  kindWithDefault,
  listOf,
  number,
  optionalKind,
  textKind,
  textMap,
  texts,
} from './field-kinds.js';
import { Choice, type Describes, field, grpcField, message, oneof, timestamp, type ValueOf } from './message-table.js';

// Unsolicited messages of agents. Missing figures do not invalidate a report.

const figure = (shape: 'small' | 'large') => kindWithDefault(number(shape), 0);
const latency = kindWithDefault(float, 0);

const loadMetrics = message({
  inFlight: field(figure('small'), 'in_flight', 1),
  queueDepth: field(figure('small'), 'queue_depth', 2),
  avgLatencyMs: field(latency, 'avg_latency_ms', 3),
  p50LatencyMs: field(latency, 'p50_latency_ms', 4),
  p95LatencyMs: field(latency, 'p95_latency_ms', 5),
  p99LatencyMs: field(latency, 'p99_latency_ms', 6),
  requestsProcessed: field(figure('large'), 'requests_processed', 7),
  requestsRejected: field(figure('large'), 'requests_rejected', 8),
  requestsTimedOut: field(figure('large'), 'requests_timed_out', 9),
});

/** Null if NaN on gRPC. */
const percentage: FieldKind<number | null, number> = {
  ...optionalKind(float),
  fromGrpc: (value, name, isChecked) =>
    Number.isFinite(value ?? Number.NaN) ? float.fromGrpc(value, name, isChecked) : null,
};

const resourceMetrics = message({
  cpuPercent: field(percentage, 'cpu_percent', 1),
  memoryBytes: field(optionalKind(number('large')), 'memory_bytes', 2),
  memoryLimit: field(optionalKind(number('large')), 'memory_limit', 3),
  activeThreads: field(optionalKind(number('small')), 'active_threads', 4),
  openFds: field(optionalKind(number('small')), 'open_fds', 5),
  fdLimit: field(optionalKind(number('small')), 'fd_limit', 6),
  connections: field(optionalKind(number('small')), 'connections', 7),
});

/** Omitted on the socket if empty: other implementations do not know it. */
const disabledFeatures: typeof texts = { ...texts, toJson: (names) => (names.length > 0 ? names : undefined) };

export const healthStatus = message(
  {
    agentId: field(textKind, 'agent_id', 1),
    state: field(code(agentStateCodes), 'state', 2),
    message: field(filledText, 'message', 3),
    load: field(optionalKind(loadMetrics), 'load', 4),
    resources: field(optionalKind(resourceMetrics), 'resources', 5),
    disabledFeatures: field(disabledFeatures, 'disabled_features', 10),
    validUntilMs: field(optionalKind(number('large')), 'valid_until_ms', 6),
    timestampMs: field(number('large'), 'timestamp_ms', 7),
    /** The reason of an unhealthy agent. */
    unhealthyReason: grpcField(filledText, 'unhealthy_reason', 13),
  },
  {
    timeoutMultiplier: grpcField(float, 'timeout_multiplier', 11),
    drainEtaMs: grpcField(optionalKind(number('large')), 'drain_eta_ms', 12),
    recoverable: grpcField(flag, 'recoverable', 14),
  },
);

type HealthStatus = ValueOf<typeof healthStatus.fields>;
export type GrpcHealthStatus = ReturnType<typeof healthStatus.toGrpc>;

const readStatus = ({ validUntilMs, unhealthyReason, ...status }: HealthStatus): AgentHealth => ({
  ...status,
  message: status.message ?? (status.state === 'unhealthy' ? unhealthyReason : null),
  validForMs: validUntilMs === null ? null : Math.max(0, validUntilMs - status.timestampMs),
});

const statusOf = ({ validForMs, ...health }: AgentHealth): HealthStatus => ({
  ...health,
  validUntilMs: validForMs === null ? null : health.timestampMs + validForMs,
  unhealthyReason: health.state === 'unhealthy' ? health.message : null,
});

/** Flattens a state given as an object tagged `status` with the members of the state. */
const untagged = (object: JsonObject): JsonObject => {
  const { state } = object;
  if (!isJsonObject(state)) return object;
  const { status, reason, disabled_features } = state;
  const name = Object.keys(agentStateCodes).find((known) => known === status) as AgentState | undefined;
  return {
    ...object,
    state: name === undefined ? null : agentStateCodes[name],
    message: object['message'] ?? optionalKind(textKind).fromJson(reason, 'reason'),
    disabled_features: disabled_features ?? null,
  };
};

export const readHealthJson = (object: JsonObject): AgentHealth => readStatus(healthStatus.fromJson(untagged(object)));

export const writeHealthJson = (health: AgentHealth): JsonObject => healthStatus.toJson(statusOf(health));

export const readGrpcHealth = (status: GrpcHealthStatus): AgentHealth => readStatus(healthStatus.fromGrpc(status));

/** Writes a health status with default timeouts; agents of this project are always recoverable. */
export const writeGrpcHealth = (health: AgentHealth): GrpcHealthStatus =>
  healthStatus.toGrpc(statusOf(health), { timeoutMultiplier: 1, recoverable: true });

const reported = {
  name: field(textKind, 'name', 1),
  help: field(optionalKind(textKind), 'help', 2),
  labels: field(textMap, 'labels', 3),
};

/** JSON has no infinity. */
const infinity = '+Inf';

const upperBound: FieldKind<number, number> = {
  ...number('double'),
  fromJson: (value, name) => (value === infinity ? Number.POSITIVE_INFINITY : number('double').fromJson(value, name)),
  toJson: (bound) => (bound === Number.POSITIVE_INFINITY ? infinity : bound),
};

const histogram = message({
  ...reported,
  sum: field(number('double'), 'sum', 4),
  count: field(number('large'), 'count', 5),
  buckets: field(
    listOf(message({ le: field(upperBound, 'le', 1), count: field(number('large'), 'count', 2) })),
    'buckets',
    6,
  ),
});

export const metricsReport = message({
  agentId: field(textKind, 'agent_id', 1),
  timestampMs: field(number('large'), 'timestamp_ms', 2),
  intervalMs: field(number('large'), 'interval_ms', 3),
  counters: field(listOf(message({ ...reported, value: field(number('large'), 'value', 4) })), 'counters', 4),
  gauges: field(listOf(message({ ...reported, value: field(number('double'), 'value', 4) })), 'gauges', 5),
  histograms: field(listOf(histogram), 'histograms', 6),
}) satisfies Describes<MetricsReport>;

export const flowControl = message(
  {
    correlationId: field(filledText, 'correlation_id', 1),
    action: field(code(flowControlCodes), 'action', 2),
    bufferAvailable: field(optionalKind(count('large')), 'buffer_available', 3),
  },
  timestamp(4),
) satisfies Describes<FlowControl>;

const ruleDefinition = message(
  {},
  {
    id: field(textKind, 'id', 1),
    priority: field(number('small'), 'priority', 2),
    definitionJson: field(textKind, 'definition_json', 3),
    enabled: field(flag, 'enabled', 4),
    description: field(optionalKind(textKind), 'description', 5),
    tags: field(texts, 'tags', 6),
  },
);

/** Rules and lists are not read, because Portcullis gateways keep none. */
const updates = new Choice(
  {
    request_reload: field(message({}), 'request_reload', 10),
    rule_update: field(
      message(
        {},
        {
          ruleSet: field(textKind, 'rule_set', 1),
          rules: field(listOf(ruleDefinition), 'rules', 2),
          removeRules: field(texts, 'remove_rules', 3),
        },
      ),
      'rule_update',
      11,
    ),
    list_update: field(
      message(
        {},
        { listId: field(textKind, 'list_id', 1), add: field(texts, 'add', 2), remove: field(texts, 'remove', 3) },
      ),
      'list_update',
      12,
    ),
    restart_required: field(
      message(
        { reason: field(textKind, 'reason', 1) },
        { gracePeriodMs: field(number('large'), 'grace_period_ms', 2) },
      ),
      'restart_required',
      13,
    ),
    config_error: field(
      message({ error: field(textKind, 'error', 1), field: field(optionalKind(textKind), 'field', 2) }),
      'config_error',
      14,
    ),
  },
  { tag: 'type', jsonFault: '"type" is unknown', grpcFault: '"update_type" is unknown' },
);

export const configUpdateRequest = message(
  { requestId: field(textKind, 'request_id', 1), update: oneof(updates, 'update_type') },
  timestamp(2),
) satisfies Describes<ConfigUpdateRequest>;

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** An unknown level reads as info. Only gRPC has log lines. */
const level: FieldKind<(typeof levels)[number], number> = {
  shape: 'small',
  fromJson: () => 'info',
  toJson: (name) => name,
  fromGrpc: (value) => levels[(value ?? 0) - 1] ?? 'info',
  toGrpc: (name) => levels.indexOf(name) + 1,
};

export const logMessage = message(
  {
    level: grpcField(level, 'level', 1),
    message: grpcField(textKind, 'message', 2),
    correlationId: grpcField(filledText, 'correlation_id', 3),
    fields: grpcField(textMap, 'fields', 4),
  },
  timestamp(5),
) satisfies Describes<AgentLogLine>;
