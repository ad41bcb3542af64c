import {
  type AgentCapabilities,
  type AgentEventName,
  agentEventCodes,
  defaultAgentLimits,
} from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeRequest, HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { JsonObject, JsonValue } from '../../../domain/shared/json.js';
import {
  count,
  type FieldKind,
  flag,
  integers,
  kindWithDefault,
  mapped,
  number,
  optionalKind,
  textKind,
  texts,
} from './field-kinds.js';
import { MalformedMessage, readPayload } from './json-payload.js';
import { type Describes, field, type GrpcOf, grpcField, message, socketField } from './message-table.js';

const encoder = new TextEncoder();

/** Any JSON; on gRPC as text, empty or `null` if absent. */
export const configuration: FieldKind<JsonValue, string> = {
  shape: 'text',
  fromJson: (value) => value ?? null,
  toJson: (value) => value,
  fromGrpc(value, name, isChecked) {
    const json = textKind.fromGrpc(value, name, isChecked).trim();
    return json === '' || json === 'null' ? null : readPayload(encoder.encode(json), true);
  },
  toGrpc: (value) => JSON.stringify(value),
};

export const handshakeRequest = message({
  supportedVersions: field(integers, 'supported_versions', 1),
  proxyId: field(textKind, 'proxy_id', 2),
  proxyVersion: field(textKind, 'proxy_version', 3),
  config: field(configuration, 'config_json', 4, 'config'),
  supportedEncodings: socketField(texts, 'supported_encodings'),
}) satisfies Describes<HandshakeRequest>;

/** Maximum owned names and prefixes, and their maximum characters. */
const maxOwnedHeaders = 256;
const maxOwnedHeaderLength = 256;

export const areTooManyOwnedHeaders = (names: readonly string[]): boolean =>
  names.length > maxOwnedHeaders || names.some((name) => name.length > maxOwnedHeaderLength);

/** gRPC sends them in the metadata. */
const ownedHeaders = mapped(
  texts,
  (names) => {
    if (areTooManyOwnedHeaders(names)) throw new MalformedMessage('"owned_headers" is too long');
    return names;
  },
  (names) => names,
);

const eventNames: ReadonlyMap<number, AgentEventName> = new Map([
  ...(Object.keys(agentEventCodes) as AgentEventName[]).map((name): [number, AgentEventName] => [
    agentEventCodes[name],
    name,
  ]),
  // Some agents start at 0.
  [0, 'configure'],
]);

const supportedEvents = mapped(
  integers,
  // Ignores events of later versions, which the gateway never sends.
  (codes): readonly AgentEventName[] => codes.flatMap((code) => eventNames.get(code) ?? []),
  (names) => names.map((name) => agentEventCodes[name]),
);

const supported = kindWithDefault(flag, false);

const features = message({
  streamingBody: field(supported, 'streaming_body', 1),
  websocket: field(supported, 'websocket', 2),
  guardrails: field(supported, 'guardrails', 3),
  configPush: field(supported, 'config_push', 4),
  metricsExport: field(supported, 'metrics_export', 5),
  cancellation: field(supported, 'cancellation', 7),
  flowControl: field(supported, 'flow_control', 8),
  healthReporting: field(supported, 'health_reporting', 9),
  concurrentRequests: field(kindWithDefault(count('small'), 0), 'concurrent_requests', 6),
});

const limits = message(
  {
    maxBodySize: field(kindWithDefault(count('large'), defaultAgentLimits.maxBodySize), 'max_body_size', 1),
    maxConcurrency: field(kindWithDefault(count('small'), defaultAgentLimits.maxConcurrency), 'max_concurrency', 2),
    preferredChunkSize: field(
      kindWithDefault(count('large'), defaultAgentLimits.preferredChunkSize),
      'preferred_chunk_size',
      3,
    ),
  },
  {
    maxMemory: grpcField(optionalKind(number('large')), 'max_memory', 4),
    maxProcessingTimeMs: grpcField(optionalKind(number('large')), 'max_processing_time_ms', 5),
  },
);

const healthConfig = message({
  reportIntervalMs: grpcField(number('small'), 'report_interval_ms', 1),
  includeLoadMetrics: grpcField(flag, 'include_load_metrics', 2),
  includeResourceMetrics: grpcField(flag, 'include_resource_metrics', 3),
});

const name = kindWithDefault(textKind, '');

const capabilities = message(
  {
    agentId: field(textKind, 'agent_id', 2),
    name: field(name, 'name', 3),
    version: field(name, 'version', 4),
    supportedEvents: field(supportedEvents, 'supported_events', 5),
    features: field(kindWithDefault(features, features.fromJson({})), 'features', 6),
    limits: field(kindWithDefault(limits, defaultAgentLimits), 'limits', 7),
    ownedHeaders: socketField(ownedHeaders, 'owned_headers'),
  },
  {
    protocolVersion: grpcField(number('small'), 'protocol_version', 1),
    healthConfig: grpcField(healthConfig, 'health_config', 8),
  },
) satisfies Describes<AgentCapabilities>;

export type GrpcAgentCapabilities = ReturnType<typeof capabilities.toGrpc>;

export const handshakeResponse = message({
  protocolVersion: field(count('small'), 'protocol_version', 1),
  capabilities: field(capabilities, 'capabilities', 2),
  success: field(flag, 'success', 3),
  error: field(kindWithDefault(optionalKind(textKind), 'no reason given'), 'error', 4),
  encoding: socketField(kindWithDefault(textKind, 'json'), 'encoding'),
});

export type GrpcHandshakeResponse = GrpcOf<typeof handshakeResponse.fields>;

/** Refuses an encoding that was not offered. Reads only the reason of a refusal. */
export const readHandshakeResponseJson = (object: JsonObject): HandshakeResponse => {
  const read = handshakeResponse;
  const protocolVersion = read.jsonMember(object, 'protocolVersion');
  if (!read.jsonMember(object, 'success')) {
    return { success: false, protocolVersion, error: read.jsonMember(object, 'error') as string };
  }
  if (read.jsonMember(object, 'encoding') !== 'json') throw new MalformedMessage('"encoding" is not json');
  return { success: true, protocolVersion, capabilities: read.jsonMember(object, 'capabilities') };
};

/** @param ownedHeaders from the metadata before the first message */
export const readGrpcHandshakeResponse = (
  response: GrpcHandshakeResponse,
  ownedHeaders: readonly string[],
): HandshakeResponse => {
  const read = handshakeResponse;
  const protocolVersion = read.grpcMember(response, 'protocolVersion');
  if (!read.grpcMember(response, 'success')) {
    return { success: false, protocolVersion, error: read.grpcMember(response, 'error') as string };
  }
  if ((response.capabilities ?? null) === null) {
    throw new MalformedMessage('the answer to the handshake has no capabilities');
  }
  return {
    success: true,
    protocolVersion,
    capabilities: { ...read.grpcMember(response, 'capabilities'), ownedHeaders },
  };
};

/**
 * The fields of a response. Other implementations require capabilities in a refusal too: those of
 * the refusing agent.
 */
const written = (response: HandshakeResponse, refusedBy: AgentCapabilities) => ({
  protocolVersion: response.protocolVersion,
  capabilities: response.success ? response.capabilities : refusedBy,
  success: response.success,
  error: response.success ? null : response.error,
  encoding: 'json',
});

/** @param refusedBy the agent's identity in a refusal */
export const writeHandshakeResponseJson = (response: HandshakeResponse, refusedBy: AgentCapabilities): JsonObject =>
  handshakeResponse.toJson(written(response, refusedBy));

/** @param healthIntervalMs interval of the agent's health reports */
export const writeGrpcHandshakeResponse = (
  response: HandshakeResponse,
  refusedBy: AgentCapabilities,
  healthIntervalMs: number,
): GrpcHandshakeResponse => {
  const { protocolVersion, capabilities: agent } = written(response, refusedBy);
  return {
    ...handshakeResponse.toGrpc(written(response, refusedBy)),
    capabilities: capabilities.toGrpc(agent, {
      protocolVersion,
      healthConfig: { reportIntervalMs: healthIntervalMs, includeLoadMetrics: true, includeResourceMetrics: true },
    }),
  };
};
