import { agentResponse } from '../agent-messages/answer-messages.js';
import {
  cancel,
  configUpdateResponse,
  configure,
  drainRequest,
  ping,
  pong,
  shutdownRequest,
} from '../agent-messages/control-messages.js';
import {
  guardrailInspect,
  requestBodyChunk,
  requestComplete,
  requestHeaders,
  responseBodyChunk,
  responseHeaders,
  webSocketFrame,
} from '../agent-messages/event-messages.js';
import { handshakeRequest, handshakeResponse } from '../agent-messages/handshake-messages.js';
import { type GrpcOf, grpcField } from '../agent-messages/message-table.js';
import {
  configUpdateRequest,
  flowControl,
  healthStatus,
  logMessage,
  metricsReport,
} from '../agent-messages/report-messages.js';

// The messages of the calls in proto/agent-service-v2.proto. Each holds one other message. The
// loader also sets the name of the oneof member as `message`; sent messages need not have it.

/** Messages from gateways on ProcessStream and ProcessEvent. */
export const proxyToAgent = {
  handshake: grpcField(handshakeRequest, 'handshake', 1),
  requestHeaders: grpcField(requestHeaders, 'request_headers', 2),
  requestBodyChunk: grpcField(requestBodyChunk, 'request_body_chunk', 3),
  responseHeaders: grpcField(responseHeaders, 'response_headers', 4),
  responseBodyChunk: grpcField(responseBodyChunk, 'response_body_chunk', 5),
  webSocketFrame: grpcField(webSocketFrame, 'websocket_frame', 6),
  guardrail: grpcField(guardrailInspect, 'guardrail', 7),
  requestComplete: grpcField(requestComplete, 'request_complete', 8),
  cancel: grpcField(cancel, 'cancel', 9),
  configure: grpcField(configure, 'configure', 10),
  ping: grpcField(ping, 'ping', 11),
};

/** Messages from agents on ProcessStream, and answers to ProcessEvent. */
export const agentToProxy = {
  handshake: grpcField(handshakeResponse, 'handshake', 1),
  response: grpcField(agentResponse, 'response', 2),
  health: grpcField(healthStatus, 'health', 3),
  metrics: grpcField(metricsReport, 'metrics', 4),
  configUpdate: grpcField(configUpdateRequest, 'config_update', 5),
  flowControl: grpcField(flowControl, 'flow_control', 6),
  pong: grpcField(pong, 'pong', 7),
  log: grpcField(logMessage, 'log', 8),
};

/** Messages from the caller of ControlStream. */
export const agentControl = {
  health: grpcField(healthStatus, 'health', 1),
  metrics: grpcField(metricsReport, 'metrics', 2),
  configUpdate: grpcField(configUpdateRequest, 'config_update', 3),
  log: grpcField(logMessage, 'log', 4),
};

/** Messages to the caller of ControlStream. */
export const proxyControl = {
  configure: grpcField(configure, 'configure', 1),
  shutdown: grpcField(shutdownRequest, 'shutdown', 2),
  drain: grpcField(drainRequest, 'drain', 3),
  configResponse: grpcField(configUpdateResponse, 'config_response', 4),
};

export type GrpcProxyToAgent = GrpcOf<typeof proxyToAgent>;
export type GrpcAgentToProxy = GrpcOf<typeof agentToProxy>;
export type GrpcAgentControl = GrpcOf<typeof agentControl>;
export type GrpcProxyControl = GrpcOf<typeof proxyControl>;
