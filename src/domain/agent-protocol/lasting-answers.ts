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

/** Adds up octets of texts until the maximum is exceeded, and ignores the rest. */
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

  /** Counts UTF-8 octets plus one, so that many empty texts have a size too. */
  text(text: string): void {
    if (this.isOver) return;
    this.#octets += 1;
    // A text has at least as many octets as characters, so an oversized text needs no exact count.
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
 * The octets of an answer if they exceed the maximum; null otherwise. Counts all texts in UTF-8 plus one octet each,
 * without body mutations. The count is independent of the transport, and stops at the maximum.
 */
export const octetsOverMaximum = (answer: AgentAnswer, maximum: number): number | null => {
  const count = counted(answer, maximum);
  return count.isOver ? count.octets : null;
};

/** All octets of an answer, by the same rules. */
export const answerOctets = (answer: AgentAnswer): number => counted(answer, Number.POSITIVE_INFINITY).octets;

const counted = (answer: AgentAnswer, maximum: number): OctetCount => {
  const count = new OctetCount(maximum);
  countDecision(count, answer.decision);
  countOperations(count, answer.requestHeaders);
  countOperations(count, answer.responseHeaders);
  countAudit(count, answer.audit);
  return count;
};

/** Cached results for an answer without faults. */
interface SoundAnswer {
  readonly octets: number;
  readonly prepared: PreparedOperations;
}

/** Results of reused answers. */
const soundAnswers = new WeakMap<AgentAnswer, SoundAnswer>();

/**
 * Checks an answer to a request head that will be reused as the same object, caches the results and returns it. Only a
 * valid allow without a dialogue is cached. INVARIANT: answers are immutable.
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

/** Whether an answer is cached, because the same object will be reused. */
export const isLasting = (answer: AgentAnswer): boolean => soundAnswers.has(answer);

/** Like `answerFault`, but uses the cache. */
export const faultOfAnswer = (answer: AgentAnswer, event: AgentEvent): string | null =>
  event.kind === 'request_headers' && soundAnswers.has(answer) ? null : answerFault(answer, event);

/** Like `octetsOverMaximum`, but uses the cache. */
export const octetsOfAnswerOver = (answer: AgentAnswer, maximum: number): number | null => {
  const sound = soundAnswers.get(answer);
  if (sound === undefined) return octetsOverMaximum(answer, maximum);
  return sound.octets > maximum ? sound.octets : null;
};

/** Applies the header operations of an answer. Like `applyHeaderOperations`, but uses the cache. */
export const applyAnswered = (headers: HeaderList, answer: AgentAnswer): Result<HeaderList, string> => {
  const sound = soundAnswers.get(answer);
  if (sound === undefined) return applyHeaderOperations(headers, answer.requestHeaders);
  return ok(applyPrepared(headers, sound.prepared));
};
