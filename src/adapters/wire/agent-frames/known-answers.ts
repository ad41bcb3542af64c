import { isLasting, rememberAnswer } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import { ok, type Result } from '../../../domain/shared/result.js';

/** Answers that are remembered, at the most. */
const maximumKnown = 512;
/** Characters of one that is. */
const longestKnown = 2_048;
/** Answers in a row of which none was known, after which the next ones are not remembered. */
const maximumMisses = 2 * maximumKnown;
/** How many of those it is then before it is tried again. */
const restingAnswers = 64 * maximumKnown;

const idMember = '"correlation_id":"';
/** A text that JSON has no other spelling for where there is no backslash. */
const plainId = /^[\w.:-]{8,128}$/;

interface KnownAnswer {
  /** Where the id stands. */
  readonly idAt: number;
  readonly answer: Result<AgentAnswer, never>;
}

/** An answer that was given before, to a call of this id. */
export interface RecalledAnswer {
  readonly correlationId: string;
  readonly answer: Result<AgentAnswer, never>;
}

/** Where the id of an answer begins and ends in its text; null where it is not as everybody writes it. */
const placeOfId = (text: string): readonly [from: number, to: number] | null => {
  const member = text.indexOf(idMember);
  if (member === -1) return null;
  const from = member + idMember.length;
  const to = text.indexOf('"', from);
  return to === -1 ? null : [from, to];
};

/**
 * The answers that an agent gives again and again: the same to every request of a user. One whose text differs from one that
 * was read before in nothing but the id of its call means the same, so that it is not read again, and is the same object.
 */
export class KnownAnswers {
  /** By the text without the id; those that were remembered first come first. */
  readonly #known = new Map<string, KnownAnswer>();
  #misses = 0;

  get size(): number {
    return this.#known.size;
  }

  /** Null where it has to be read. */
  recall(text: string): RecalledAnswer | null {
    if (this.#known.size === 0 || text.length > longestKnown) return null;
    const place = placeOfId(text);
    if (place === null) return null;
    const [from, to] = place;
    const correlationId = text.slice(from, to);
    const known = plainId.test(correlationId) ? this.#known.get(text.slice(0, from) + text.slice(to)) : undefined;
    if (known?.idAt !== from) return null;
    this.#misses = 0;
    return { correlationId, answer: known.answer };
  }

  /**
   * Gives back an answer that was read from a text, which is remembered where it may come again.
   *
   * INVARIANT: without a backslash every text value stands in the JSON as it is. The id does so once, so that it is the member
   * that was read, and another plain one in its place changes nothing else.
   */
  note(text: string, correlationId: string, answer: AgentAnswer): AgentAnswer {
    if (text.length > longestKnown || !this.#isWorthwhile()) return answer;
    const place = placeOfId(text);
    if (place === null || text.includes('\\') || !plainId.test(correlationId)) return answer;
    const [from, to] = place;
    const isOnce = text.indexOf(correlationId) === from && text.indexOf(correlationId, to) === -1;
    if (!isOnce || from + correlationId.length !== to || !isLasting(rememberAnswer(answer))) return answer;
    const [eldest] = this.#known.size >= maximumKnown ? this.#known.keys() : [];
    if (eldest !== undefined) this.#known.delete(eldest);
    this.#known.set(text.slice(0, from) + text.slice(to), { idAt: from, answer: ok(answer) });
    return answer;
  }

  /** An agent that never says the same twice is listened to now and then only. */
  #isWorthwhile(): boolean {
    this.#misses += 1;
    if (this.#misses > restingAnswers) this.#misses = 0;
    return this.#misses <= maximumMisses;
  }
}
