import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import type { AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { JsonValue } from '../../../domain/shared/json.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { cancel, configure, ping } from '../agent-messages/control-messages.js';
import {
  readGrpcRequestHeaders,
  requestBodyChunk,
  requestComplete,
  responseBodyChunk,
  responseHeaders,
  unsupportedEvent,
  writeGrpcRequestHeaders,
} from '../agent-messages/event-messages.js';
import { handshakeRequest } from '../agent-messages/handshake-messages.js';
import { MalformedMessage, readSafely } from '../agent-messages/json-payload.js';
import type { GrpcProxyToAgent } from './grpc-messages.js';

/** A message that an agent receives. */
export type GrpcGatewayMessage =
  | { readonly kind: 'handshake'; readonly request: HandshakeRequest }
  | { readonly kind: 'event'; readonly event: AgentEvent }
  /** An event that agents of this project cannot subscribe to. It is answered anyway. */
  | { readonly kind: 'unsupported_event'; readonly correlationId: string }
  | { readonly kind: 'configure'; readonly config: JsonValue; readonly version: string | null }
  /** An empty `configure`, which only shows that the gateway is alive. */
  | { readonly kind: 'heartbeat' }
  | { readonly kind: 'cancel'; readonly correlationId: string; readonly reason: CancelReason }
  | { readonly kind: 'ping'; readonly sequence: number; readonly timestampMs: number };

/** Texts from gateways are not checked for UTF-8 before decoding. */
const isChecked = false;

const event = (read: AgentEvent): GrpcGatewayMessage => ({ kind: 'event', event: read });

const read = (message: GrpcProxyToAgent): GrpcGatewayMessage => {
  if (message.request_headers) return event(readGrpcRequestHeaders(message.request_headers));
  if (message.request_body_chunk) return event(requestBodyChunk.fromGrpc(message.request_body_chunk, '', isChecked));
  if (message.response_headers) return event(responseHeaders.fromGrpc(message.response_headers, '', isChecked));
  if (message.response_body_chunk) return event(responseBodyChunk.fromGrpc(message.response_body_chunk, '', isChecked));
  if (message.request_complete) {
    const complete = requestComplete.fromGrpc(message.request_complete, '', isChecked);
    // gRPC reports the upstream, not the number of attempts.
    return event({ ...complete, upstreamAttempts: complete.upstream === null ? 0 : 1 });
  }
  if (message.cancel) return { kind: 'cancel', ...cancel.fromGrpc(message.cancel, '', isChecked) };
  if (message.ping) return { kind: 'ping', ...ping.fromGrpc(message.ping, '', isChecked) };
  if (message.handshake) {
    return { kind: 'handshake', request: handshakeRequest.fromGrpc(message.handshake, '', isChecked) };
  }
  if (message.configure) {
    if (!message.configure.config_json) return { kind: 'heartbeat' };
    const { config, version } = configure.fromGrpc(message.configure, '', isChecked);
    return { kind: 'configure', config, version };
  }
  const unsupported = message.websocket_frame ?? message.guardrail;
  if (unsupported) return { kind: 'unsupported_event', ...unsupportedEvent.fromGrpc(unsupported, '', isChecked) };
  throw new MalformedMessage('it holds no supported message');
};

/**
 * Decodes a message from a gateway. The error quotes none of it. INVARIANT: `gatewayMessageFault`
 * has accepted its octets.
 */
export const readGrpcGatewayMessage = (message: GrpcProxyToAgent): Result<GrpcGatewayMessage, string> => {
  const readable = readSafely(() => read(message));
  return readable.ok ? readable : err(`a message is malformed: ${readable.error}`);
};

/** @param nowMs milliseconds since the Unix epoch, here and in the functions after this one */
export const writeEvent = (event: AgentEvent, nowMs: number): GrpcProxyToAgent => {
  switch (event.kind) {
    case 'request_headers':
      return { request_headers: writeGrpcRequestHeaders(event) };
    case 'request_body_chunk':
      return { request_body_chunk: requestBodyChunk.toGrpc(event, { timestampMs: nowMs }) };
    case 'response_headers':
      return { response_headers: responseHeaders.toGrpc(event) };
    case 'response_body_chunk':
      return { response_body_chunk: responseBodyChunk.toGrpc(event, { timestampMs: nowMs }) };
    case 'request_complete':
      return { request_complete: requestComplete.toGrpc(event) };
  }
};

export const writeHandshakeRequest = (request: HandshakeRequest): GrpcProxyToAgent => ({
  handshake: handshakeRequest.toGrpc(request),
});

export const writeConfigure = (config: JsonValue, version: string, nowMs: number): GrpcProxyToAgent => ({
  configure: configure.toGrpc({ correlationId: '', config, version }, { isInitial: false, timestampMs: nowMs }),
});

export const writeCancel = (correlationId: string, reason: CancelReason, nowMs: number): GrpcProxyToAgent => ({
  cancel: cancel.toGrpc({ correlationId, reason }, { timestampMs: nowMs }),
});

export const writePing = (sequence: number, nowMs: number): GrpcProxyToAgent => ({
  ping: ping.toGrpc({ sequence, timestampMs: nowMs }),
});
