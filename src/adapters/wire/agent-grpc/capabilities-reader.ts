import {
  type AgentCapabilities,
  type AgentEventName,
  type AgentFeatures,
  type AgentLimits,
  agentEventCodes,
  defaultAgentLimits,
} from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type {
  GrpcAgentCapabilities,
  GrpcAgentFeatures,
  GrpcAgentLimits,
  GrpcHandshakeResponse,
} from './grpc-messages.js';

const eventNames: ReadonlyMap<number, AgentEventName> = new Map([
  ...(Object.keys(agentEventCodes) as AgentEventName[]).map((name): [number, AgentEventName] => [
    agentEventCodes[name],
    name,
  ]),
  // Some agents count from 0 there.
  [0, 'configure'],
]);

const readFeatures = (features: GrpcAgentFeatures): AgentFeatures => ({
  streamingBody: features.streaming_body ?? false,
  websocket: features.websocket ?? false,
  guardrails: features.guardrails ?? false,
  configPush: features.config_push ?? false,
  metricsExport: features.metrics_export ?? false,
  cancellation: features.cancellation ?? false,
  flowControl: features.flow_control ?? false,
  healthReporting: features.health_reporting ?? false,
  concurrentRequests: features.concurrent_requests ?? 0,
});

/** A limit of 0 is one that is not said: the two are the same on the wire. */
const readLimits = (limits: GrpcAgentLimits): AgentLimits => ({
  maxBodySize: limits.max_body_size || defaultAgentLimits.maxBodySize,
  maxConcurrency: limits.max_concurrency || defaultAgentLimits.maxConcurrency,
  preferredChunkSize: limits.preferred_chunk_size || defaultAgentLimits.preferredChunkSize,
});

const readCapabilities = (capabilities: GrpcAgentCapabilities, ownedHeaders: readonly string[]): AgentCapabilities => ({
  agentId: capabilities.agent_id ?? '',
  name: capabilities.name ?? '',
  version: capabilities.version ?? '',
  // An event of a later version is one that the gateway will never send.
  supportedEvents: (capabilities.supported_events ?? []).flatMap((code) => eventNames.get(code) ?? []),
  features: readFeatures(capabilities.features ?? {}),
  limits: readLimits(capabilities.limits ?? {}),
  ownedHeaders,
});

/** @param ownedHeaders what the metadata before the first message says */
export const readHandshakeResponse = (
  response: GrpcHandshakeResponse,
  ownedHeaders: readonly string[],
): Result<HandshakeResponse, string> => {
  const protocolVersion = response.protocol_version ?? 0;
  if (response.success !== true) {
    return ok({ success: false, protocolVersion, error: response.error || 'no reason given' });
  }
  const capabilities = response.capabilities ?? null;
  if (capabilities === null) return err('the answer to the handshake has no capabilities');
  return ok({ success: true, protocolVersion, capabilities: readCapabilities(capabilities, ownedHeaders) });
};
