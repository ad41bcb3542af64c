import {
  type AgentCapabilities,
  type AgentEventName,
  type AgentFeatures,
  type AgentLimits,
  agentEventCodes,
  defaultAgentLimits,
} from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeRequest, HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import type { JsonObject, JsonValue } from '../../../domain/shared/json.js';
import {
  readCount,
  readFlag,
  readObject,
  readOptionalArray,
  readOptionalCount,
  readOptionalFlag,
  readOptionalObject,
  readOptionalText,
  readOptionalTexts,
  readText,
} from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';

/** Names and prefixes that an agent may own, at the most, and their length in characters. */
const maximumOwnedHeaders = 256;
const maximumOwnedHeaderLength = 256;

const readIntegers = (object: JsonObject, name: string): readonly number[] => {
  const values = readOptionalArray(object, name);
  for (const value of values) {
    if (typeof value !== 'number' || !Number.isInteger(value))
      throw new MalformedMessage(`"${name}" holds no integers`);
  }
  return values as readonly number[];
};

export const handshakeRequestJson = (request: HandshakeRequest): string =>
  JSON.stringify({
    supported_versions: request.supportedVersions,
    proxy_id: request.proxyId,
    proxy_version: request.proxyVersion,
    config: request.config,
    supported_encodings: request.supportedEncodings,
  });

export const readHandshakeRequest = (object: JsonObject): HandshakeRequest => ({
  supportedVersions: readIntegers(object, 'supported_versions'),
  proxyId: readText(object, 'proxy_id'),
  proxyVersion: readText(object, 'proxy_version'),
  config: object['config'] ?? null,
  supportedEncodings: readOptionalTexts(object, 'supported_encodings'),
});

const writeCapabilities = ({ features, limits, ...capabilities }: AgentCapabilities): JsonValue => ({
  agent_id: capabilities.agentId,
  name: capabilities.name,
  version: capabilities.version,
  supported_events: capabilities.supportedEvents.map((event) => agentEventCodes[event]),
  features: {
    streaming_body: features.streamingBody,
    websocket: features.websocket,
    guardrails: features.guardrails,
    config_push: features.configPush,
    metrics_export: features.metricsExport,
    cancellation: features.cancellation,
    flow_control: features.flowControl,
    health_reporting: features.healthReporting,
    concurrent_requests: features.concurrentRequests,
  },
  limits: {
    max_body_size: limits.maxBodySize,
    max_concurrency: limits.maxConcurrency,
    preferred_chunk_size: limits.preferredChunkSize,
  },
  owned_headers: capabilities.ownedHeaders,
});

const eventNames: ReadonlyMap<number, AgentEventName> = new Map([
  ...(Object.keys(agentEventCodes) as AgentEventName[]).map((name): [number, AgentEventName] => [
    agentEventCodes[name],
    name,
  ]),
  // Some agents count from 0 there.
  [0, 'configure'],
]);

const readFeatures = (features: JsonObject): AgentFeatures => ({
  streamingBody: readOptionalFlag(features, 'streaming_body'),
  websocket: readOptionalFlag(features, 'websocket'),
  guardrails: readOptionalFlag(features, 'guardrails'),
  configPush: readOptionalFlag(features, 'config_push'),
  metricsExport: readOptionalFlag(features, 'metrics_export'),
  cancellation: readOptionalFlag(features, 'cancellation'),
  flowControl: readOptionalFlag(features, 'flow_control'),
  healthReporting: readOptionalFlag(features, 'health_reporting'),
  concurrentRequests: readOptionalCount(features, 'concurrent_requests') ?? 0,
});

const readLimits = (limits: JsonObject): AgentLimits => ({
  maxBodySize: readOptionalCount(limits, 'max_body_size') ?? defaultAgentLimits.maxBodySize,
  maxConcurrency: readOptionalCount(limits, 'max_concurrency') ?? defaultAgentLimits.maxConcurrency,
  preferredChunkSize: readOptionalCount(limits, 'preferred_chunk_size') ?? defaultAgentLimits.preferredChunkSize,
});

const readOwnedHeaders = (object: JsonObject): readonly string[] => {
  const owned = readOptionalTexts(object, 'owned_headers');
  if (owned.length > maximumOwnedHeaders || owned.some((name) => name.length > maximumOwnedHeaderLength)) {
    throw new MalformedMessage('"owned_headers" is too long');
  }
  return owned;
};

const readCapabilities = (object: JsonObject): AgentCapabilities => ({
  agentId: readText(object, 'agent_id'),
  name: readOptionalText(object, 'name') ?? '',
  version: readOptionalText(object, 'version') ?? '',
  // An event of a later version is one that the gateway will never send.
  supportedEvents: readIntegers(object, 'supported_events').flatMap((code) => eventNames.get(code) ?? []),
  features: readFeatures(readOptionalObject(object, 'features') ?? {}),
  limits: readLimits(readOptionalObject(object, 'limits') ?? {}),
  ownedHeaders: readOwnedHeaders(object),
});

/** @param refusedBy what the agent calls itself in an answer that refuses */
export const handshakeResponseJson = (response: HandshakeResponse, refusedBy: AgentCapabilities): string =>
  JSON.stringify({
    protocol_version: response.protocolVersion,
    // Readers elsewhere want it in a refusal too.
    capabilities: writeCapabilities(response.success ? response.capabilities : refusedBy),
    success: response.success,
    error: response.success ? null : response.error,
    encoding: 'json',
  });

/** An encoding that was not offered makes it malformed. */
export const readHandshakeResponse = (object: JsonObject): HandshakeResponse => {
  const protocolVersion = readCount(object, 'protocol_version');
  if (!readFlag(object, 'success')) {
    return { success: false, protocolVersion, error: readOptionalText(object, 'error') ?? 'no reason given' };
  }
  if ((readOptionalText(object, 'encoding') ?? 'json') !== 'json') throw new MalformedMessage('"encoding" is not json');
  return { success: true, protocolVersion, capabilities: readCapabilities(readObject(object, 'capabilities')) };
};
