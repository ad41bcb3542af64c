import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { err, type Result } from '../../../domain/shared/result.js';
import { type Cancel, type Configure, cancel, configure, ping } from '../agent-messages/control-messages.js';
import {
  readRequestHeadersJson,
  requestBodyChunk,
  requestComplete,
  responseBodyChunk,
  responseHeaders,
  unsupportedEvent,
  writeEventJson,
} from '../agent-messages/event-messages.js';
import { handshakeRequest } from '../agent-messages/handshake-messages.js';
import { readPayload, readSafely } from '../agent-messages/json-payload.js';
import type { Frame } from './frame-decoder.js';
import type { MessageName } from './message-codes.js';
import type { RequestHeadReader } from './request-head-reader.js';

/** A message that an agent receives. */
export type GatewayMessage =
  | { readonly kind: 'handshake_request'; readonly request: HandshakeRequest }
  | { readonly kind: 'event'; readonly event: AgentEvent }
  /** An event that agents of this project cannot subscribe to. It is answered anyway. */
  | { readonly kind: 'unsupported_event'; readonly name: MessageName; readonly correlationId: string }
  | { readonly kind: 'configure'; readonly configure: Configure }
  | { readonly kind: 'cancel'; readonly cancel: Cancel }
  /** The payload is echoed. */
  | { readonly kind: 'ping'; readonly payload: Uint8Array };

const read = ({ name, payload }: Frame, heads: RequestHeadReader | null): GatewayMessage => {
  switch (name) {
    case 'request_headers':
      return { kind: 'event', event: heads?.read(payload) ?? readRequestHeadersJson(readPayload(payload)) };
    case 'request_body_chunk':
      return { kind: 'event', event: requestBodyChunk.fromJson(readPayload(payload)) };
    case 'response_headers':
      return { kind: 'event', event: responseHeaders.fromJson(readPayload(payload)) };
    case 'response_body_chunk':
      return { kind: 'event', event: responseBodyChunk.fromJson(readPayload(payload)) };
    case 'request_complete':
      return { kind: 'event', event: requestComplete.fromJson(readPayload(payload)) };
    case 'handshake_request':
      return { kind: name, request: handshakeRequest.fromJson(readPayload(payload, true)) };
    case 'configure':
      return { kind: name, configure: configure.fromJson(readPayload(payload, true)) };
    case 'cancel':
      return { kind: name, cancel: cancel.fromJson(readPayload(payload)) };
    case 'ping':
      return { kind: name, payload };
    default:
      return { kind: 'unsupported_event', name, ...unsupportedEvent.fromJson(readPayload(payload)) };
  }
};

/**
 * Reads a frame from a gateway. The error quotes none of it.
 *
 * @param heads fast reader for request heads of Portcullis gateways; null: reads all JSON alike
 */
export const readGatewayMessage = (
  frame: Frame,
  heads: RequestHeadReader | null = null,
): Result<GatewayMessage, string> => {
  const message = readSafely(() => read(frame, heads));
  return message.ok ? message : err(`${frame.name} is malformed: ${message.error}`);
};

/** The payload of an event. The message name is the event's `kind`. */
export const eventJson = (event: AgentEvent): string => JSON.stringify(writeEventJson(event));

export const handshakeRequestJson = (request: HandshakeRequest): string =>
  JSON.stringify(handshakeRequest.toJson(request));

export const configureJson = (given: Configure): string => JSON.stringify(configure.toJson(given));

/** @param nowMs milliseconds since the Unix epoch, here and in `pingJson` */
export const cancelJson = (given: Cancel, nowMs: number): string =>
  JSON.stringify(cancel.toJson(given, { timestampMs: nowMs }));

export const pingJson = (sequence: number, nowMs: number): string =>
  JSON.stringify(ping.toJson({ sequence, timestampMs: nowMs }));
