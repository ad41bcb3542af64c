import type { HeaderList } from '../http/header-list.js';
import { ok, type Result } from '../shared/result.js';
import { answerFault } from './answer-rules.js';
import { answerOctets, octetsOverMaximum } from './answer-size.js';
import {
  applyHeaderOperations,
  applyPrepared,
  type PreparedOperation,
  prepareOperations,
} from './header-operations.js';
import type { AgentAnswer, AgentEvent, HeaderOperation } from './messages.js';

/** Octets of answers that are given again and again, and in which no fault was found. */
const soundAnswers = new WeakMap<AgentAnswer, number>();
const soundOperations = new WeakMap<readonly HeaderOperation[], readonly PreparedOperation[]>();

/**
 * Remembers an answer to the head of a request that is given more than once, as the same object, and gives it back: what has
 * to be found out about it is found out now. Allows without a dialogue alone are remembered, and none with a fault.
 * INVARIANT: nobody changes an answer once it is made.
 */
export const rememberAnswer = (answer: AgentAnswer): AgentAnswer => {
  const { decision, needsMore, requestBodyMutation, responseBodyMutation, requestHeaders, responseHeaders } = answer;
  const isPlain = decision.kind === 'allow' && !needsMore && responseHeaders.length === 0;
  if (!isPlain || requestBodyMutation !== null || responseBodyMutation !== null) return answer;
  const prepared = prepareOperations(requestHeaders);
  if (!prepared.ok) return answer;
  soundAnswers.set(answer, answerOctets(answer));
  soundOperations.set(requestHeaders, prepared.value);
  return answer;
};

/** Whether an answer was remembered: the same object will be given again. */
export const isLasting = (answer: AgentAnswer): boolean => soundAnswers.has(answer);

/** As `answerFault`, without looking where that was done before. */
export const faultOfAnswer = (answer: AgentAnswer, event: AgentEvent): string | null =>
  event.kind === 'request_headers' && soundAnswers.has(answer) ? null : answerFault(answer, event);

/** As `octetsOverMaximum`, without counting where that was done before. */
export const octetsOfAnswerOver = (answer: AgentAnswer, maximum: number): number | null => {
  const octets = soundAnswers.get(answer);
  if (octets === undefined) return octetsOverMaximum(answer, maximum);
  return octets > maximum ? octets : null;
};

/** As `applyHeaderOperations`, without preparing what was prepared before. */
export const applyAnswered = (
  headers: HeaderList,
  operations: readonly HeaderOperation[],
): Result<HeaderList, string> => {
  const prepared = soundOperations.get(operations);
  return prepared === undefined ? applyHeaderOperations(headers, operations) : ok(applyPrepared(headers, prepared));
};
