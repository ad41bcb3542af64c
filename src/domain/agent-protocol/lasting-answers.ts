import type { HeaderList } from '../http/header-list.js';
import { ok, type Result } from '../shared/result.js';
import { utf8Length } from '../shared/utf8.js';
import { answerFault } from './answer-rules.js';
import {
  applyHeaderOperations,
  applyPrepared,
  type PreparedOperations,
  prepareOperations,
} from './header-operations.js';
import type { AgentAnswer, AgentAudit, AgentDecision, AgentEvent, HeaderOperation } from './messages.js';

/** Adds up texts until there are too many octets; what comes after that is not looked at. */
class OctetCount {
  readonly #maximum: number;
  #octets = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get octets(): number {
    return this.#octets;
  }

  get isOver(): boolean {
    return this.#octets > this.#maximum;
  }

  /** One octet more than its UTF-8: many empty texts are no small answer either. */
  text(text: string): void {
    if (this.isOver) return;
    this.#octets += 1;
    // No text has fewer octets than characters, so that one that is far too long is never walked through.
    this.#octets += this.#octets + text.length > this.#maximum ? text.length : utf8Length(text);
  }

  texts(texts: readonly string[]): void {
    for (const text of texts) this.text(text);
  }

  pairs(pairs: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(pairs)) {
      this.text(name);
      this.text(value);
    }
  }
}

const countDecision = (count: OctetCount, decision: AgentDecision): void => {
  switch (decision.kind) {
    case 'allow':
      return;
    case 'block':
      if (decision.body !== null) count.text(decision.body);
      count.texts(decision.headers);
      return;
    case 'redirect':
      count.text(decision.url);
      return;
    case 'challenge':
      count.text(decision.challengeType);
      count.pairs(decision.params);
      return;
  }
};

const countOperations = (count: OctetCount, operations: readonly HeaderOperation[]): void => {
  for (const operation of operations) {
    count.text(operation.name);
    if (operation.kind !== 'remove') count.text(operation.value);
  }
};

const countAudit = (count: OctetCount, audit: AgentAudit): void => {
  count.texts(audit.tags);
  count.texts(audit.ruleIds);
  count.texts(audit.reasonCodes);
  count.pairs(audit.custom);
};

/**
 * The octets of an answer where it has more than so many, else null: those of all its texts in UTF-8, and one more
 * for each of them. Body mutations do not count. It is the same for every transport, whatever its framing costs, and
 * takes no longer than the maximum allows: what comes after the text that is too much is not counted any more.
 */
export const octetsOverMaximum = (answer: AgentAnswer, maximum: number): number | null => {
  const count = counted(answer, maximum);
  return count.isOver ? count.octets : null;
};

/** All octets of an answer, counted in the same way. */
export const answerOctets = (answer: AgentAnswer): number => counted(answer, Number.POSITIVE_INFINITY).octets;

const counted = (answer: AgentAnswer, maximum: number): OctetCount => {
  const count = new OctetCount(maximum);
  countDecision(count, answer.decision);
  countOperations(count, answer.requestHeaders);
  countOperations(count, answer.responseHeaders);
  countAudit(count, answer.audit);
  return count;
};

/** What is known of an answer in which no fault was found. */
interface SoundAnswer {
  readonly octets: number;
  readonly prepared: PreparedOperations;
}

/** Answers that are given again and again. */
const soundAnswers = new WeakMap<AgentAnswer, SoundAnswer>();

/**
 * Remembers an answer to the head of a request that is given more than once, as the same object, and gives it back:
 * what has to be found out about it is found out now. Allows without a dialogue alone are remembered, and none with a
 * fault. INVARIANT: nobody changes an answer once it is made.
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

/**
 * The headers of a request as an answer leaves them. As `applyHeaderOperations`, without preparing what was prepared
 * before.
 */
export const applyAnswered = (headers: HeaderList, answer: AgentAnswer): Result<HeaderList, string> => {
  const sound = soundAnswers.get(answer);
  if (sound === undefined) return applyHeaderOperations(headers, answer.requestHeaders);
  return ok(applyPrepared(headers, sound.prepared));
};
