import { isLasting } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import type { JsonObject, JsonValue } from '../../../domain/shared/json.js';
import { writeAnswerJson } from '../agent-messages/answer-messages.js';
import type { JsonOctets } from './json-octets.js';

/** An answer as JSON, up to where the id of its call stands, and from there on. */
type AnswerText = readonly [before: string, after: string];
type AnswerOctets = readonly [before: Uint8Array, after: Uint8Array];

/** Of answers that are given again and again. */
const lastingOctets = new WeakMap<AgentAnswer, AnswerOctets>();

const encoder = new TextEncoder();

/** The members of an object that stands in front of others, without what closes it. */
const opened = (json: string, depth: number): string => {
  const open = json.slice(0, -depth);
  return open.endsWith('{') ? open : `${open},`;
};

const writeAnswer = (answer: AgentAnswer, additions: JsonObject): AnswerText => {
  const json = writeAnswerJson(answer);
  // The id comes last in `custom`, which comes last in `audit`.
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

/** What is written of an answer. */
export interface WrittenAnswer {
  readonly answer: AgentAnswer;
  readonly correlationId: string;
  /** Members beside those of an AgentResponse, which other readers ignore; null: there are none. */
  readonly additions: JsonObject | null;
}

/** Adds the payload of an answer. One that is given again and again is not written again, but copied. */
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
