import {
  type AgentHealth,
  type AgentLoad,
  type AgentState,
  agentStateCodes,
} from '../../../domain/agent-protocol/health.js';
import { isJsonObject, type JsonObject } from '../../../domain/shared/json.js';
import { readNumber, readOptionalNumber, readOptionalObject, readOptionalText, readText } from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';

export const healthJson = (health: AgentHealth): string => {
  const { load } = health;
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
    resources: null,
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

export const readHealth = (object: JsonObject): AgentHealth => {
  const load = readOptionalObject(object, 'load');
  const timestampMs = readNumber(object, 'timestamp_ms');
  const validUntilMs = readOptionalNumber(object, 'valid_until_ms');
  return {
    agentId: readText(object, 'agent_id'),
    state: readState(object),
    message: readOptionalText(object, 'message'),
    load: load && readLoad(load),
    validForMs: validUntilMs === null ? null : Math.max(0, validUntilMs - timestampMs),
    timestampMs,
  };
};
