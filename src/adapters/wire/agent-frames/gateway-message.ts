import type { HandshakeRequest } from '../../../domain/agent-protocol/handshake.js';
import type { AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type Cancel, type Configure, readCancel, readConfigure } from './control-codec.js';
import {
  readRequestBodyChunk,
  readRequestComplete,
  readRequestHeaders,
  readResponseBodyChunk,
  readResponseHeaders,
} from './event-codec.js';
import type { Frame } from './frame.js';
import { readHandshakeRequest } from './handshake-codec.js';
import { readText } from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';
import type { MessageName } from './message-codes.js';
import { readPayload } from './payload-json.js';
import type { RequestHeadReader } from './request-head-reader.js';

/** What an agent reads. */
export type GatewayMessage =
  | { readonly kind: 'handshake_request'; readonly request: HandshakeRequest }
  | { readonly kind: 'event'; readonly event: AgentEvent }
  /** An event that no agent of ours can ask for. It is answered all the same. */
  | { readonly kind: 'unasked_event'; readonly name: MessageName; readonly correlationId: string }
  | { readonly kind: 'configure'; readonly configure: Configure }
  | { readonly kind: 'cancel'; readonly cancel: Cancel }
  /** The payload goes back as it is. */
  | { readonly kind: 'ping'; readonly payload: Uint8Array };

const read = ({ name, payload }: Frame, heads: RequestHeadReader | null): GatewayMessage => {
  switch (name) {
    case 'request_headers': {
      const event = heads?.read(payload) ?? readRequestHeaders(readPayload(payload));
      return { kind: 'event', event };
    }
    case 'request_body_chunk':
      return { kind: 'event', event: readRequestBodyChunk(readPayload(payload)) };
    case 'response_headers':
      return { kind: 'event', event: readResponseHeaders(readPayload(payload)) };
    case 'response_body_chunk':
      return { kind: 'event', event: readResponseBodyChunk(readPayload(payload)) };
    case 'request_complete':
      return { kind: 'event', event: readRequestComplete(readPayload(payload)) };
    case 'handshake_request':
      return { kind: name, request: readHandshakeRequest(readPayload(payload, true)) };
    case 'configure':
      return { kind: name, configure: readConfigure(readPayload(payload, true)) };
    case 'cancel':
      return { kind: name, cancel: readCancel(readPayload(payload)) };
    case 'ping':
      return { kind: name, payload };
    default:
      return { kind: 'unasked_event', name, correlationId: readText(readPayload(payload), 'correlation_id') };
  }
};

/**
 * Reads a frame that a gateway sent. The error says what is wrong with it, and quotes none of it.
 *
 * @param heads reads the heads of requests of our own gateway, faster; null: they are read as any others
 */
export const readGatewayMessage = (
  frame: Frame,
  heads: RequestHeadReader | null = null,
): Result<GatewayMessage, string> => {
  try {
    return ok(read(frame, heads));
  } catch (error) {
    if (error instanceof MalformedMessage) return err(`${frame.name} cannot be read: ${error.message}`);
    throw error;
  }
};
