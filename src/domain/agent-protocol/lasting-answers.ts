import type { HeaderList } from '../http/header-list.js';
import { ok, type Result } from '../shared/result.js';
import { answerFault } from './answer-rules.js';
import { answerOctets, octetsOverMaximum } from './answer-size.js';
import {
  applyHeaderOperations,
  applyPrepared,
  type PreparedOperations,
  prepareOperations,
} from './header-operations.js';
import type { AgentAnswer, AgentEvent } from './messages.js';

/** What is known of an answer in which no fault was found. */
interface SoundAnswer {
  readonly octets: number;
  readonly prepared: PreparedOperations;
}

/** Answers that are given again and again. */
const soundAnswers = new WeakMap<AgentAnswer, SoundAnswer>();

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
  soundAnswers.set(answer, { octets: answerOctets(answer), prepared: prepared.value });
  return answer;
};

/** Whether an answer was remembered: the same object will be given again. */
export const isLasting = (answer: AgentAnswer): boolean => soundAnswers.has(answer);

/** As `answerFault`, without looking where that was done before. */
export const faultOfAnswer = (answer: AgentAnswer, event: AgentEvent): string | null =>
  event.kind === 'request_headers' && soundAnswers.has(answer) ? null : answerFault(answer, event);

/** As `octetsOverMaximum`, without counting where that was done before. */
export const octetsOfAnswerOver = (answer: AgentAnswer, maximum: number): number | null => {
  const sound = soundAnswers.get(answer);
  if (sound === undefined) return octetsOverMaximum(answer, maximum);
  return sound.octets > maximum ? sound.octets : null;
};

/** The headers of a request as an answer leaves them. As `applyHeaderOperations`, without preparing what was prepared before. */
export const applyAnswered = (headers: HeaderList, answer: AgentAnswer): Result<HeaderList, string> => {
  const sound = soundAnswers.get(answer);
  if (sound === undefined) return applyHeaderOperations(headers, answer.requestHeaders);
  return ok(applyPrepared(headers, sound.prepared));
};
