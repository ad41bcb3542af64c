import type { AgentAnswer, AgentEvent } from '../../../domain/agent-protocol/messages.js';
import { isJsonObject, type JsonObject } from '../../../domain/shared/json.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { readAnswer } from '../agent-frames/answer-codec.js';
import { eventJson } from '../agent-frames/event-codec.js';
import { readFlag, readOptionalText } from '../agent-frames/json-fields.js';
import { MalformedMessage } from '../agent-frames/malformed-message.js';
import { readPayload } from '../agent-frames/payload-json.js';

/** What the agents that speak the older framing expect to be told, although it is not the second framing. */
const messageVersion = 2;

const message = (eventType: string, payloadJson: string): string =>
  `{"version":${messageVersion},"event_type":"${eventType}","payload":${payloadJson}}`;

/** An event, with the payload that it has in the newer framing too. */
export const legacyEventJson = (event: AgentEvent): string => message(event.kind, eventJson(event));

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

const attempt = <Value>(read: () => Value): Result<Value, string> => {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof MalformedMessage) return err(error.message);
    throw error;
  }
};

const statedId = (object: JsonObject): string | null => {
  const audit = object['audit'];
  const custom = isJsonObject(audit) ? audit['custom'] : undefined;
  const inAudit = isJsonObject(custom) ? custom['correlation_id'] : undefined;
  if (typeof inAudit === 'string') return inAudit;
  const atTop = object['correlation_id'];
  return typeof atTop === 'string' ? atTop : null;
};

/** Reads what an event was answered. The error says why it cannot be read at all, and quotes none of it. */
export const readLegacyAnswer = (payload: Uint8Array): Result<LegacyAnswer, string> =>
  attempt(() => {
    const object = readPayload(payload);
    return { correlationId: statedId(object), answer: attempt(() => readAnswer(object)) };
  });

/** What the configuration was answered: taken, or refused for a reason. */
export type LegacyConfigureAnswer = { readonly success: true } | { readonly success: false; readonly error: string };

/** Reads what the configuration was answered. The error says why it cannot be read, and quotes none of it. */
export const readLegacyConfigureAnswer = (payload: Uint8Array): Result<LegacyConfigureAnswer, string> =>
  attempt(() => {
    const object = readPayload(payload);
    if (readFlag(object, 'success')) return { success: true };
    return { success: false, error: readOptionalText(object, 'error') ?? 'no reason given' };
  });
