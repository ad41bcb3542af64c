import { isFieldValue, isToken } from '../http/field-syntax.js';
import type { HeaderList } from '../http/header-list.js';
import { operationsFault } from './header-operations.js';
import type { AgentAnswer, AgentDecision, AgentEvent, BodyChunkEvent, BodyMutation } from './messages.js';

const isStatusBetween = (status: number, from: number, to: number): boolean =>
  Number.isInteger(status) && status >= from && status <= to;

const headersFault = (headers: HeaderList): string | null => {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (!isToken(headers[index] as string)) return 'a header of the decision has an invalid name';
    if (!isFieldValue(headers[index + 1] as string))
      return `the value of ${headers[index]} is not a valid header value`;
  }
  return null;
};

const isVisible = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) return false;
  }
  return text.length > 0;
};

const decisionFault = (decision: AgentDecision): string | null => {
  switch (decision.kind) {
    case 'allow':
      return null;
    case 'block':
      if (!isStatusBetween(decision.status, 200, 599)) return `block with status ${decision.status}`;
      return headersFault(decision.headers);
    case 'redirect':
      if (!isStatusBetween(decision.status, 300, 399)) return `redirect with status ${decision.status}`;
      return isVisible(decision.url) ? null : 'redirect to a URL with invalid characters';
    case 'challenge':
      if (!isToken(decision.challengeType)) return 'challenge with an invalid type';
      for (const [name, value] of Object.entries(decision.params)) {
        if (!isToken(name) || !isFieldValue(value)) return 'challenge with an invalid parameter';
      }
      return null;
  }
};

/** Whether an event is a body chunk of a dialogue, which an answer to the head opened. */
export const isBodyChunk = (event: AgentEvent): event is BodyChunkEvent =>
  event.kind === 'request_body_chunk' || event.kind === 'response_body_chunk';

/** Whether the agent needs body chunks before it decides. */
export const opensDialogue = (answer: AgentAnswer): boolean => answer.needsMore && answer.decision.kind === 'allow';

const dialogueFault = (answer: AgentAnswer, event: AgentEvent): string | null => {
  if (!opensDialogue(answer)) return null;
  if (isBodyChunk(event) && event.isLast) return 'needs_more after the last chunk';
  return event.kind === 'request_complete' ? 'needs_more after the end of the request' : null;
};

/** @param kind the only event that allows such a mutation */
const mutationFault = (
  mutation: BodyMutation | null,
  event: AgentEvent,
  kind: BodyChunkEvent['kind'],
): string | null => {
  if (mutation === null) return null;
  if (event.kind !== kind) return `a mutation in an answer to another event than ${kind}`;
  return mutation.chunkIndex === event.chunkIndex ? null : 'a mutation of another chunk';
};

/** Refuses request header operations in an answer about the response, which comes too late for them. */
const directionFault = (answer: AgentAnswer, event: AgentEvent): string | null =>
  (event.kind === 'response_headers' || event.kind === 'response_body_chunk') && answer.requestHeaders.length > 0
    ? 'request header operations for a response'
    : null;

/**
 * Why an answer to an event is malformed; null: it is well-formed. Faults are an invalid status, invalid headers or
 * operations, operations on a request that was already forwarded, a mutation of another chunk, and `needsMore` at the
 * end. All transports use this check: a doubtful answer is malformed, never an allow. The text contains no values,
 * which may be secrets.
 */
export const answerFault = (answer: AgentAnswer, event: AgentEvent): string | null =>
  dialogueFault(answer, event) ??
  decisionFault(answer.decision) ??
  directionFault(answer, event) ??
  mutationFault(answer.requestBodyMutation, event, 'request_body_chunk') ??
  mutationFault(answer.responseBodyMutation, event, 'response_body_chunk') ??
  operationsFault(answer.requestHeaders) ??
  operationsFault(answer.responseHeaders);
