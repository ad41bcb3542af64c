import { isLasting, rememberAnswer } from '../../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer } from '../../../../domain/agent-protocol/messages.js';
import { ok, type Result } from '../../../../domain/shared/result.js';
import { asBuffer, endOfPlainId, idOctets, isIdLength, isLiteralAt, isPlainId, quote } from '../plain-octets.js';
import { OctetRangeCache } from './octet-range-cache.js';

/** Maximum cached answers. */
const maxEntries = 512;
/** Maximum octets of a cached answer. */
const maxAnswerOctets = 2_048;
/** Consecutive misses after which the cache pauses. */
const maxMisses = 2 * maxEntries;
/** Answers until the cache is tried again. */
const pauseLength = 64 * maxEntries;

const idMember = '"correlation_id":"';
const idMemberOctets = Buffer.from(idMember);

interface CacheEntry {
  /** Octets after the id. */
  readonly rest: Buffer;
  readonly answer: Result<AgentAnswer, never>;
}

/** A cached answer for the id of a new call. */
export interface CachedAnswer {
  readonly correlationId: string;
  readonly answer: Result<AgentAnswer, never>;
}

/**
 * Caches parsed answers of an agent. Many requests of a user get the same answer. If octets differ
 * from a parsed answer only in the id, the cached object is returned.
 */
export class AnswerCache {
  /** By the octets before the id. */
  readonly #entries = new OctetRangeCache<CacheEntry>(maxEntries);
  #misses = 0;
  /** Octets after the id of the last hit. */
  #lastRestLength = 0;

  get size(): number {
    return this.#entries.size;
  }

  /** Null on a miss. */
  find(payload: Uint8Array): CachedAnswer | null {
    if (this.#entries.size === 0 || payload.length > maxAnswerOctets) return null;
    const octets = asBuffer(payload);
    // The id nearly always ends at the same distance from the end as in the last hit.
    let to = octets.length - this.#lastRestLength;
    let from = to;
    while (idOctets[octets[from - 1] as number] === 1) from -= 1;
    const isThere = octets[to] === quote && isIdLength(to - from);
    if (!isThere || !isLiteralAt(octets, from - idMember.length, idMemberOctets)) {
      const member = octets.indexOf(idMemberOctets);
      from = member + idMember.length;
      to = member === -1 ? -1 : endOfPlainId(octets, from);
      if (to === -1) return null;
    }
    const known = this.#entries.find(octets, 0, from);
    if (known === null || octets.compare(known.rest, 0, known.rest.length, to) !== 0) return null;
    this.#lastRestLength = known.rest.length;
    this.#misses = 0;
    return { correlationId: octets.toString('latin1', from, to), answer: known.answer };
  }

  /**
   * Stores a parsed answer if it may repeat.
   *
   * INVARIANT: without a backslash, every string appears unescaped in the JSON. The id appears
   * once, so it is the parsed member, and another plain id in its place changes nothing else.
   */
  store(payload: Uint8Array, text: string, correlationId: string, answer: AgentAnswer): void {
    if (payload.length > maxAnswerOctets || !this.#isActive()) return;
    if (text.includes('\\') || !isPlainId(correlationId)) return;
    const place = text.indexOf(correlationId);
    const end = place + correlationId.length;
    const isMember = text.indexOf(idMember) + idMember.length === place && text.charCodeAt(end) === quote;
    if (!isMember || text.includes(correlationId, end) || !isLasting(rememberAnswer(answer))) return;
    const octets = asBuffer(payload);
    // Characters before it may have several octets.
    const from = octets.indexOf(idMemberOctets) + idMember.length;
    const rest = Buffer.from(octets.subarray(from + correlationId.length));
    this.#entries.put(octets, 0, from, { rest, answer: ok(answer) });
  }

  /** Pauses the cache if the agent's answers never repeat. */
  #isActive(): boolean {
    this.#misses += 1;
    if (this.#misses > pauseLength) this.#misses = 0;
    return this.#misses <= maxMisses;
  }
}
