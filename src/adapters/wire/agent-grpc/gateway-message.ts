import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import { type AgentEvent, type CancelReason, cancelReasons } from '../../../domain/agent-protocol/messages.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { MalformedMessage } from '../agent-frames/malformed-message.js';
import { readPayload } from '../agent-frames/payload-json.js';
import { correlationIdOf, countOf, textOf } from './event-fields.js';
import {
  readRequestBodyChunk,
  readRequestComplete,
  readRequestHeaders,
  readResponseBodyChunk,
  readResponseHeaders,
} from './event-reader.js';
import type {
  GrpcCancelRequest,
  GrpcConfigureEvent,
  GrpcHandshakeRequest,
  GrpcPing,
  GrpcProxyToAgent,
} from './grpc-messages.js';

/** What an agent reads. */
export type GrpcGatewayMessage =
  | { readonly kind: 'handshake'; readonly request: HandshakeRequest }
  | { readonly kind: 'event'; readonly event: AgentEvent }
  /** An event that no agent of ours asks for. It is answered all the same. */
  | { readonly kind: 'unasked_event'; readonly correlationId: string }
  | { readonly kind: 'configure'; readonly config: JsonValue; readonly version: string | null }
  /** An empty `configure`: it says nothing but that the gateway is there. */
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'cancel'; readonly correlationId: string; readonly reason: CancelReason }
  | { readonly kind: 'ping'; readonly sequence: number; readonly timestampMs: number };

const encoder = new TextEncoder();

/** Null where there is none. */
const readConfiguration = (json: string): JsonValue => {
  const text = json.trim();
  return text === '' || text === 'null' ? null : readPayload(encoder.encode(text), true);
};

const readHandshake = (request: GrpcHandshakeRequest): GrpcGatewayMessage => ({
  kind: 'handshake',
  request: {
    supportedVersions: request.supported_versions ?? [],
    proxyId: textOf(request.proxy_id, 'proxy_id'),
    proxyVersion: textOf(request.proxy_version, 'proxy_version'),
    config: readConfiguration(textOf(request.config_json, 'config_json')),
    supportedEncodings: [],
  },
});

const readConfigure = (configure: GrpcConfigureEvent): GrpcGatewayMessage => {
  const json = textOf(configure.config_json, 'config_json');
  if (json === '') return { kind: 'heartbeat' };
  const version = textOf(configure.config_version, 'config_version');
  return { kind: 'configure', config: readConfiguration(json), version: version === '' ? null : version };
};

const readCancel = (cancel: GrpcCancelRequest): GrpcGatewayMessage => ({
  kind: 'cancel',
  correlationId: correlationIdOf(cancel.correlation_id),
  // A reason of a later version still means that the request is of no more interest.
  reason: cancelReasons[(cancel.reason ?? 0) - 1] ?? 'manual',
});

const readPing = (ping: GrpcPing): GrpcGatewayMessage => ({
  kind: 'ping',
  sequence: countOf(ping.sequence, 'sequence'),
  timestampMs: countOf(ping.timestamp_ms, 'timestamp_ms'),
});

const event = (read: AgentEvent): GrpcGatewayMessage => ({ kind: 'event', event: read });

const read = (message: GrpcProxyToAgent): GrpcGatewayMessage => {
  if (message.request_headers) return event(readRequestHeaders(message.request_headers));
  if (message.request_body_chunk) return event(readRequestBodyChunk(message.request_body_chunk));
  if (message.response_headers) return event(readResponseHeaders(message.response_headers));
  if (message.response_body_chunk) return event(readResponseBodyChunk(message.response_body_chunk));
  if (message.request_complete) return event(readRequestComplete(message.request_complete));
  if (message.cancel) return readCancel(message.cancel);
  if (message.ping) return readPing(message.ping);
  if (message.handshake) return readHandshake(message.handshake);
  if (message.configure) return readConfigure(message.configure);
  const unasked = message.websocket_frame ?? message.guardrail;
  if (unasked) return { kind: 'unasked_event', correlationId: correlationIdOf(unasked.correlation_id) };
  throw new MalformedMessage('it holds no message that this version knows');
};

/**
 * Reads a message of a gateway whose octets `gatewayMessageFault` has found nothing wrong with. The error says what is
 * wrong with it, and quotes none of it.
 */
export const readGrpcGatewayMessage = (message: GrpcProxyToAgent): Result<GrpcGatewayMessage, string> => {
  try {
    return ok(read(message));
  } catch (error) {
    if (error instanceof MalformedMessage) return err(`a message cannot be read: ${error.message}`);
    throw error;
  }
};
