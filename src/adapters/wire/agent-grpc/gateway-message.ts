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
  unaskedEvent,
  writeGrpcRequestHeaders,
} from '../agent-messages/event-messages.js';
import { handshakeRequest } from '../agent-messages/handshake-messages.js';
import { MalformedMessage, readSafely } from '../agent-messages/json-payload.js';
import type { GrpcProxyToAgent } from './grpc-messages.js';

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

/** The texts of what a gateway sends are not looked at before they are decoded. */
const isChecked = false;

const event = (read: AgentEvent): GrpcGatewayMessage => ({ kind: 'event', event: read });

const read = (message: GrpcProxyToAgent): GrpcGatewayMessage => {
  if (message.request_headers) return event(readGrpcRequestHeaders(message.request_headers));
  if (message.request_body_chunk) return event(requestBodyChunk.fromGrpc(message.request_body_chunk, '', isChecked));
  if (message.response_headers) return event(responseHeaders.fromGrpc(message.response_headers, '', isChecked));
  if (message.response_body_chunk) return event(responseBodyChunk.fromGrpc(message.response_body_chunk, '', isChecked));
  if (message.request_complete) {
    const complete = requestComplete.fromGrpc(message.request_complete, '', isChecked);
    // gRPC says which upstream was asked, not how often.
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
  const unasked = message.websocket_frame ?? message.guardrail;
  if (unasked) return { kind: 'unasked_event', ...unaskedEvent.fromGrpc(unasked, '', isChecked) };
  throw new MalformedMessage('it holds no message that this version knows');
};

/**
 * Reads a message of a gateway whose octets `gatewayMessageFault` has found nothing wrong with. The error says what is
 * wrong with it, and quotes none of it.
 */
export const readGrpcGatewayMessage = (message: GrpcProxyToAgent): Result<GrpcGatewayMessage, string> => {
  const readable = readSafely(() => read(message));
  return readable.ok ? readable : err(`a message cannot be read: ${readable.error}`);
};

/** @param nowMs milliseconds since the Unix epoch, here and below */
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
