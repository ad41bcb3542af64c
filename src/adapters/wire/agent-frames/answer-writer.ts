import { isLasting } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject, JsonValue } from '../../../domain/shared/json.js';
import { writeAnswerJson } from '../agent-messages/answer-messages.js';
import type { JsonOctets } from './json-octets.js';

/** The JSON of an answer before and after the id of its call. */
type AnswerText = readonly [before: string, after: string];
type AnswerOctets = readonly [before: Uint8Array, after: Uint8Array];

/** Encoded answers that are reused. */
const lastingOctets = new WeakMap<AgentAnswer, AnswerOctets>();

const encoder = new TextEncoder();

/** The start of a JSON object, without its closing braces, ready for more members. */
const opened = (json: string, depth: number): string => {
  const open = json.slice(0, -depth);
  return open.endsWith('{') ? open : `${open},`;
};

const writeAnswer = (answer: AgentAnswer, additions: JsonObject): AnswerText => {
  const json = writeAnswerJson(answer);
  // The id is the last member of `custom`, which is the last member of `audit`.
  const head: Record<string, JsonValue> = {};
  const tail: Record<string, JsonValue> = {};
  let part = head;
  for (const name in json) {
    part[name] = json[name] as JsonValue;
    if (name === 'audit') part = tail;
  }
  const before = JSON.stringify(head);
  const after = JSON.stringify(Object.assign(tail, additions));
  return [`${opened(before, '}}}'.length)}"correlation_id":`, `}},${after.slice('{'.length)}`];
};

/** An answer to write. */
export interface WrittenAnswer {
  readonly answer: AgentAnswer;
  readonly correlationId: string;
  /** Members in addition to those of an AgentResponse, which other readers ignore; null: none. */
  readonly additions: JsonObject | null;
}

/** Adds the payload of an answer. Copies the octets of a reused answer. */
export const addAnswer = (into: JsonOctets, { answer, correlationId, additions }: WrittenAnswer): void => {
  const known = additions === null ? lastingOctets.get(answer) : undefined;
  if (known !== undefined) {
    into.add(known[0]);
    into.addString(correlationId);
    into.add(known[1]);
    return;
  }
  const [before, after] = writeAnswer(answer, additions ?? {});
  into.addText(before);
  into.addString(correlationId);
  into.addText(after);
  if (additions !== null || !isLasting(answer)) return;
  lastingOctets.set(answer, [encoder.encode(before), encoder.encode(after)]);
};
