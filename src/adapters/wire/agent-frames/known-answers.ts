import { isLasting, rememberAnswer } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer } from '../../../domain/agent-protocol/messages.js';
import { ok, type Result } from '../../../domain/shared/result.js';
import { asBuffer, OctetsMemory } from './octets-memory.js';
import { endOfPlainId, idOctets, isIdLength, isPlainId, quote, standsAt } from './plain-octets.js';

/** Answers that are remembered, at most. */
const maximumKnown = 512;
/** Octets of one that is. */
const longestKnown = 2_048;
/** Answers in a row of which none was known, after which the next ones are not remembered. */
const maximumMisses = 2 * maximumKnown;
/** How many of those it is then before it is tried again. */
const restingAnswers = 64 * maximumKnown;

const idMember = '"correlation_id":"';
const idMemberOctets = Buffer.from(idMember);

interface KnownAnswer {
  /** What stands behind the id. */
  readonly rest: Buffer;
  readonly answer: Result<AgentAnswer, never>;
}

/** An answer that was given before, to a call of this id. */
export interface RecalledAnswer {
  readonly correlationId: string;
  readonly answer: Result<AgentAnswer, never>;
}

/**
 * The answers that an agent gives again and again: the same to every request of a user. One whose octets differ from
 * one that was read before in nothing but the id of its call means the same, so that it is not read again, and is the
 * same object.
 */
export class KnownAnswers {
  /** By what stands in front of the id. */
  readonly #known = new OctetsMemory<KnownAnswer>(maximumKnown);
  #misses = 0;
  /** Octets behind the id of the answer that was known last. */
  #rest = 0;

  get size(): number {
    return this.#known.size;
  }

  /** Null where it has to be read. */
  recall(payload: Uint8Array): RecalledAnswer | null {
    if (this.#known.size === 0 || payload.length > longestKnown) return null;
    const octets = asBuffer(payload);
    // Nearly always it ends as far from the end as in the answer before.
    let to = octets.length - this.#rest;
    let from = to;
    while (idOctets[octets[from - 1] as number] === 1) from -= 1;
    const isThere = octets[to] === quote && isIdLength(to - from);
    if (!isThere || !standsAt(octets, from - idMember.length, idMemberOctets)) {
      const member = octets.indexOf(idMemberOctets);
      from = member + idMember.length;
      to = member === -1 ? -1 : endOfPlainId(octets, from);
      if (to === -1) return null;
    }
    const known = this.#known.find(octets, 0, from);
    if (known === null || octets.compare(known.rest, 0, known.rest.length, to) !== 0) return null;
    this.#rest = known.rest.length;
    this.#misses = 0;
    return { correlationId: octets.toString('latin1', from, to), answer: known.answer };
  }

  /**
   * Remembers an answer that was read from a payload with this text, where it may come again.
   *
   * INVARIANT: without a backslash every text value stands in the JSON as it is. The id does so once, so that it is
   * the member that was read, and another plain one in its place changes nothing else.
   */
  note(payload: Uint8Array, text: string, correlationId: string, answer: AgentAnswer): void {
    if (payload.length > longestKnown || !this.#isWorthwhile()) return;
    if (text.includes('\\') || !isPlainId(correlationId)) return;
    const place = text.indexOf(correlationId);
    const end = place + correlationId.length;
    const isMember = text.indexOf(idMember) + idMember.length === place && text.charCodeAt(end) === quote;
    if (!isMember || text.includes(correlationId, end) || !isLasting(rememberAnswer(answer))) return;
    const octets = asBuffer(payload);
    // Characters in front of it may have more octets than one.
    const from = octets.indexOf(idMemberOctets) + idMember.length;
    const rest = Buffer.from(octets.subarray(from + correlationId.length));
    this.#known.put(octets, 0, from, { rest, answer: ok(answer) });
  }

  /** An agent that never says the same twice is listened to now and then only. */
  #isWorthwhile(): boolean {
    this.#misses += 1;
    if (this.#misses > restingAnswers) this.#misses = 0;
    return this.#misses <= maximumMisses;
  }
}
