import type { AgentAnswer, AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import { agentResponse, answeredId } from '../agent-messages/answer-messages.js';
import { writeEventJson } from '../agent-messages/event-messages.js';
import { flag, optionalKind, textKind } from '../agent-messages/field-kinds.js';
import { readPayload, readSafely } from '../agent-messages/json-payload.js';

/** Version that legacy agents expect, although the framing is the first one. */
const messageVersion = 2;

const message = (eventType: string, payloadJson: string): string =>
  `{"version":${messageVersion},"event_type":"${eventType}","payload":${payloadJson}}`;

/** An event, with the same payload as in protocol v2. */
export const legacyEventJson = (event: AgentEvent): string =>
  message(event.kind, JSON.stringify(writeEventJson(event)));

/**
 * The first message of a connection. Legacy agents require an object, so no configuration is `{}`.
 */
export const legacyConfigureJson = (agentId: string, config: JsonObject | null): string =>
  message('configure', JSON.stringify({ agent_id: agentId, config: config ?? {} }));

/** An answer to an event. */
export interface LegacyAnswer {
  /** The id in the answer; null if absent: it then belongs to the open call. */
  readonly correlationId: string | null;
  /** The error is the fault of the answer. */
  readonly answer: Result<AgentAnswer, string>;
}

/** Reads an answer to an event. The error is for unreadable answers and quotes none of them. */
export const readLegacyAnswer = (payload: Uint8Array): Result<LegacyAnswer, string> =>
  readSafely(() => {
    const object = readPayload(payload);
    return { correlationId: answeredId(object), answer: readSafely(() => agentResponse.fromJson(object)) };
  });

/** An answer to the configuration: accepted, or refused with a reason. */
export type LegacyConfigureAnswer = { readonly success: true } | { readonly success: false; readonly error: string };

/** Reads an answer to the configuration. The error quotes none of it. */
export const readLegacyConfigureAnswer = (payload: Uint8Array): Result<LegacyConfigureAnswer, string> =>
  readSafely(() => {
    const object = readPayload(payload);
    if (flag.fromJson(object['success'], 'success')) return { success: true };
    return { success: false, error: optionalKind(textKind).fromJson(object['error'], 'error') ?? 'no reason given' };
  });
