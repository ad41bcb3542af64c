import { type AgentCapabilities, agentEventCodes } from '../../../domain/agent-protocol/capabilities.js';
import type { HandshakeResponse } from '../../../domain/agent-protocol/handshake.js';
import { isToken } from '../../../domain/http/field-syntax.js';
import type { GrpcAgentCapabilities, GrpcHandshakeResponse } from './grpc-messages.js';

const capabilitiesMessage = (
  { features, limits, ...capabilities }: AgentCapabilities,
  protocolVersion: number,
  healthIntervalMs: number,
): GrpcAgentCapabilities => ({
  protocol_version: protocolVersion,
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
    concurrent_requests: features.concurrentRequests,
    cancellation: features.cancellation,
    flow_control: features.flowControl,
    health_reporting: features.healthReporting,
  },
  limits: {
    max_body_size: limits.maxBodySize,
    max_concurrency: limits.maxConcurrency,
    preferred_chunk_size: limits.preferredChunkSize,
  },
  health_config: {
    report_interval_ms: healthIntervalMs,
    include_load_metrics: true,
    include_resource_metrics: true,
  },
});

/**
 * @param capabilities what the agent calls itself in an answer that refuses
 * @param healthIntervalMs between two of its health reports
 */
export const handshakeAnswerMessage = (
  response: HandshakeResponse,
  capabilities: AgentCapabilities,
  healthIntervalMs: number,
): GrpcHandshakeResponse => ({
  protocol_version: response.protocolVersion,
  capabilities: capabilitiesMessage(
    response.success ? response.capabilities : capabilities,
    response.protocolVersion,
    healthIntervalMs,
  ),
  success: response.success,
  error: response.success ? null : response.error,
});

/** The value of the initial metadata that names the headers only it may set. What no header can be called is left out. */
export const ownedHeadersText = ({ ownedHeaders }: AgentCapabilities): string => ownedHeaders.filter(isToken).join(',');
