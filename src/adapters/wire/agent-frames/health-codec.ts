import {
  type AgentHealth,
  type AgentLoad,
  type AgentResources,
  type AgentState,
  agentStateCodes,
} from '../../../domain/agent-protocol/health.js';
import { isJsonObject, type JsonObject } from '../../../domain/shared/json.js';
import {
  readNumber,
  readOptionalNumber,
  readOptionalObject,
  readOptionalText,
  readOptionalTexts,
  readText,
} from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';

export const healthJson = (health: AgentHealth): string => {
  const { load, resources } = health;
  return JSON.stringify({
    agent_id: health.agentId,
    state: agentStateCodes[health.state],
    message: health.message,
    load: load && {
      in_flight: load.inFlight,
      queue_depth: load.queueDepth,
      avg_latency_ms: load.avgLatencyMs,
      p50_latency_ms: load.p50LatencyMs,
      p95_latency_ms: load.p95LatencyMs,
      p99_latency_ms: load.p99LatencyMs,
      requests_processed: load.requestsProcessed,
      requests_rejected: load.requestsRejected,
      requests_timed_out: load.requestsTimedOut,
    },
    resources: resources && {
      cpu_percent: resources.cpuPercent,
      memory_bytes: resources.memoryBytes,
      memory_limit: resources.memoryLimit,
      active_threads: resources.activeThreads,
      open_fds: resources.openFds,
      fd_limit: resources.fdLimit,
      connections: resources.connections,
    },
    // Beside the integer, which has no place for it; readers elsewhere leave it.
    ...(health.disabledFeatures.length > 0 && { disabled_features: health.disabledFeatures }),
    valid_until_ms: health.validForMs === null ? null : health.timestampMs + health.validForMs,
    timestamp_ms: health.timestampMs,
  });
};

const stateNames = Object.keys(agentStateCodes) as AgentState[];

/** An integer, or an object tagged `status`. */
const readState = (object: JsonObject): AgentState => {
  const state = object['state'];
  const name = isJsonObject(state)
    ? stateNames.find((known) => known === state['status'])
    : stateNames.find((known) => agentStateCodes[known] === state);
  if (name === undefined) throw new MalformedMessage('"state" is none');
  return name;
};

const readLoad = (load: JsonObject): AgentLoad => {
  const read = (name: string): number => readOptionalNumber(load, name) ?? 0;
  return {
    inFlight: read('in_flight'),
    queueDepth: read('queue_depth'),
    avgLatencyMs: read('avg_latency_ms'),
    p50LatencyMs: read('p50_latency_ms'),
    p95LatencyMs: read('p95_latency_ms'),
    p99LatencyMs: read('p99_latency_ms'),
    requestsProcessed: read('requests_processed'),
    requestsRejected: read('requests_rejected'),
    requestsTimedOut: read('requests_timed_out'),
  };
};

const readResources = (resources: JsonObject): AgentResources => ({
  cpuPercent: readOptionalNumber(resources, 'cpu_percent'),
  memoryBytes: readOptionalNumber(resources, 'memory_bytes'),
  memoryLimit: readOptionalNumber(resources, 'memory_limit'),
  activeThreads: readOptionalNumber(resources, 'active_threads'),
  openFds: readOptionalNumber(resources, 'open_fds'),
  fdLimit: readOptionalNumber(resources, 'fd_limit'),
  connections: readOptionalNumber(resources, 'connections'),
});

export const readHealth = (object: JsonObject): AgentHealth => {
  const state = object['state'];
  // What a tagged state tells stands within it.
  const told = isJsonObject(state) ? state : object;
  const reason = isJsonObject(state) ? readOptionalText(state, 'reason') : null;
  const resources = readOptionalObject(object, 'resources');
  const load = readOptionalObject(object, 'load');
  const timestampMs = readNumber(object, 'timestamp_ms');
  const validUntilMs = readOptionalNumber(object, 'valid_until_ms');
  return {
    agentId: readText(object, 'agent_id'),
    state: readState(object),
    message: readOptionalText(object, 'message') ?? reason,
    load: load && readLoad(load),
    resources: resources && readResources(resources),
    disabledFeatures: readOptionalTexts(told, 'disabled_features'),
    validForMs: validUntilMs === null ? null : Math.max(0, validUntilMs - timestampMs),
    timestampMs,
  };
};
