import type { AgentAnswer, AgentEvent } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import { agentResponse, answeredId } from '../agent-messages/answer-messages.js';
import { writeEventJson } from '../agent-messages/event-messages.js';
import { flag, optionalKind, textKind } from '../agent-messages/field-kinds.js';
import { readPayload, readSafely } from '../agent-messages/json-payload.js';

/** What the agents that speak the older framing expect to be told, although it is not the second framing. */
const messageVersion = 2;

const message = (eventType: string, payloadJson: string): string =>
  `{"version":${messageVersion},"event_type":"${eventType}","payload":${payloadJson}}`;

/** An event, with the payload that it has in the newer framing too. */
export const legacyEventJson = (event: AgentEvent): string =>
  message(event.kind, JSON.stringify(writeEventJson(event)));

/** What a connection begins with. These agents read the configuration as an object, so that none is an empty one. */
export const legacyConfigureJson = (agentId: string, config: JsonObject | null): string =>
  message('configure', JSON.stringify({ agent_id: agentId, config: config ?? {} }));

/** An answer to an event. */
export interface LegacyAnswer {
  /** The request that it says it is for. Null where it does not say: it is for the one that was asked about. */
  readonly correlationId: string | null;
  /** The error says what is malformed about it. */
  readonly answer: Result<AgentAnswer, string>;
}

/** Reads what an event was answered. The error says why it cannot be read at all, and quotes none of it. */
export const readLegacyAnswer = (payload: Uint8Array): Result<LegacyAnswer, string> =>
  readSafely(() => {
    const object = readPayload(payload);
    return { correlationId: answeredId(object), answer: readSafely(() => agentResponse.fromJson(object)) };
  });

/** What the configuration was answered: taken, or refused for a reason. */
export type LegacyConfigureAnswer = { readonly success: true } | { readonly success: false; readonly error: string };

/** Reads what the configuration was answered. The error says why it cannot be read, and quotes none of it. */
export const readLegacyConfigureAnswer = (payload: Uint8Array): Result<LegacyConfigureAnswer, string> =>
  readSafely(() => {
    const object = readPayload(payload);
    if (flag.fromJson(object['success'], 'success')) return { success: true };
    return { success: false, error: optionalKind(textKind).fromJson(object['error'], 'error') ?? 'no reason given' };
  });
