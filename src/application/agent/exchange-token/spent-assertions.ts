import {
  assertionClockSkewMs,
  longestAssertionMs,
} from '../../../domain/agent/token-exchange/client-assertion-rules.js';
import type { Clock } from '../../ports/shared/clock.js';

/** `full`: the memory is full. `unavailable`: the shared memory did not answer. Both forbid the use. */
export type TakenAssertion = 'first' | 'seen' | 'full' | 'unavailable';

/** The used client assertions of an agent; each can be used once. */
export interface AssertionMemory {
  /** Whether the assertion is known to be used. False does not permit its use: `take` decides. */
  has(clientId: string, id: string): boolean;
  /**
   * Atomically marks an assertion as used; `first` if it was not. Never rejects.
   * @param id identifies the assertion among those of the client; a short text
   */
  take(clientId: string, id: string): TakenAssertion | Promise<TakenAssertion>;
  /** Undoes a `take` that returned `first`. */
  giveBack(clientId: string, id: string): void;
}

/** The used client assertions of each agent. */
export interface AssertionMemories {
  /** @param name the name of an embedded agent; null: the only agent of the process */
  of(name: string | null): AssertionMemory;
}

interface SpentAssertionLimits {
  /** Maximum ids per client within one assertion lifetime. */
  readonly ofClient: number;
  /** Maximum ids in total. */
  readonly together: number;
}

export const spentAssertionLimits: SpentAssertionLimits = { ofClient: 20_000, together: 200_000 };

/** The longest time for which an assertion that is used now could be replayed. */
const longestLifeMs = longestAssertionMs + assertionClockSkewMs;

/** Ids by client that arrived within one lifetime. */
class Generation {
  readonly #byClient = new Map<string, Set<string>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(clientId: string, id: string): boolean {
    return this.#byClient.get(clientId)?.has(id) ?? false;
  }

  countOf(clientId: string): number {
    return this.#byClient.get(clientId)?.size ?? 0;
  }

  add(clientId: string, id: string): void {
    const ids = this.#byClient.get(clientId) ?? new Set<string>();
    this.#byClient.set(clientId, ids.add(id));
    this.#size += 1;
  }

  remove(clientId: string, id: string): void {
    if (this.#byClient.get(clientId)?.delete(id) === true) this.#size -= 1;
  }
}

/**
 * The used client assertions of an agent, across configurations. Ids are kept for one to two lifetimes of an assertion.
 * Expires a whole generation at a time, which needs no scan.
 */
export class SpentAssertions implements AssertionMemory {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #limits: SpentAssertionLimits;
  #current = new Generation();
  #previous = new Generation();
  /** When the current generation began. */
  #sinceMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, limits: SpentAssertionLimits = spentAssertionLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#sinceMs = clock.monotonicMs();
  }

  /** Whether the assertion is used. False does not permit its use: `take` decides. */
  has(clientId: string, id: string): boolean {
    this.forget();
    return this.#current.has(clientId, id) || this.#previous.has(clientId, id);
  }

  /**
   * Atomically marks an assertion as used; `first` if it was not. `full`: the memory is full, and evicting an id would
   * allow its replay.
   * @param id identifies the assertion among those of the client; a short text
   */
  take(clientId: string, id: string): 'first' | 'seen' | 'full' {
    if (this.has(clientId, id)) return 'seen';
    const { ofClient, together } = this.#limits;
    const isFull = this.#current.countOf(clientId) >= ofClient || this.#current.size + this.#previous.size >= together;
    if (isFull) return 'full';
    this.#current.add(clientId, id);
    return 'first';
  }

  /** Undoes a `take` that returned `first`. */
  giveBack(clientId: string, id: string): void {
    this.#current.remove(clientId, id);
    this.#previous.remove(clientId, id);
  }

  /** Expires ids that can no longer be replayed. */
  forget(): void {
    const nowMs = this.#clock.monotonicMs();
    const ageMs = nowMs - this.#sinceMs;
    if (ageMs < longestLifeMs) return;
    this.#previous = ageMs < 2 * longestLifeMs ? this.#current : new Generation();
    this.#current = new Generation();
    this.#sinceMs = nowMs;
  }
}

/**
 * The used assertions of all agents of a process. Separate by agent, because issuers and clients differ; shared by
 * agents of the same name, such as before and after a reload. Names come only from the configuration.
 */
export class SpentAssertionsOfAgents implements AssertionMemories {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #byName = new Map<string | null, SpentAssertions>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** @param name the name of an embedded agent; null: the only agent of the process */
  of(name: string | null): SpentAssertions {
    // A removed agent never calls `forget` itself.
    for (const spent of this.#byName.values()) spent.forget();
    const spent = this.#byName.get(name) ?? new SpentAssertions(this.#clock);
    this.#byName.set(name, spent);
    return spent;
  }
}
