import {
  assertionClockSkewMs,
  longestAssertionMs,
} from '../../../domain/agent/token-exchange/client-assertion-rules.js';
import type { Clock } from '../../ports/shared/clock.js';

/** `full`: no more can be remembered; `unavailable`: whoever remembers did not answer. Neither is a leave to use it. */
export type TakenAssertion = 'first' | 'seen' | 'full' | 'unavailable';

/** The client assertions that an agent has taken: each is taken once. */
export interface AssertionMemory {
  /** Whether it is known here to have been taken. That it is not is no leave to use it: `take` decides. */
  has(clientId: string, id: string): boolean;
  /**
   * In one step: `first` where it was not there, and it is from now on. Never rejects.
   *
   * @param id names the assertion among those of the client; a short text
   */
  take(clientId: string, id: string): TakenAssertion | Promise<TakenAssertion>;
  /** Undoes a `take` that was `first`. */
  giveBack(clientId: string, id: string): void;
}

/** What agents have taken, each its own. */
export interface AssertionMemories {
  /** @param name of an embedded agent; null: the agent's process has one alone */
  of(name: string | null): AssertionMemory;
}

interface SpentAssertionLimits {
  /** Ids of one client that come within one life of an assertion. */
  readonly ofClient: number;
  /** Ids that are remembered together. */
  readonly together: number;
}

export const spentAssertionLimits: SpentAssertionLimits = { ofClient: 20_000, together: 200_000 };

/** An assertion that is taken now can be shown again for so long, at most. */
const longestLifeMs = longestAssertionMs + assertionClockSkewMs;

/** Ids by client, of those that came within one life. */
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
 * The client assertions that an agent has taken, whatever its configuration was at the time. Ids are kept for one
 * life of an assertion at least, and for two at most: they are forgotten a generation at a time, so that nothing is
 * ever looked through.
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

  /** Whether it has been taken. That it has not is no leave to use it: `take` decides. */
  has(clientId: string, id: string): boolean {
    this.forget();
    return this.#current.has(clientId, id) || this.#previous.has(clientId, id);
  }

  /**
   * In one step: `first` where it was not there, and it is from now on; `full` where no more can be remembered, since
   * one that is forgotten could be shown again.
   *
   * @param id names the assertion among those of the client; a short text
   */
  take(clientId: string, id: string): 'first' | 'seen' | 'full' {
    if (this.has(clientId, id)) return 'seen';
    const { ofClient, together } = this.#limits;
    const isFull = this.#current.countOf(clientId) >= ofClient || this.#current.size + this.#previous.size >= together;
    if (isFull) return 'full';
    this.#current.add(clientId, id);
    return 'first';
  }

  /** Undoes a `take` that was `first`. */
  giveBack(clientId: string, id: string): void {
    this.#current.remove(clientId, id);
    this.#previous.remove(clientId, id);
  }

  /** Lets go of what cannot be shown again any more. */
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
 * What the agents of a process have taken, each its own: they may have other issuers and other clients under one
 * name. Agents of one name, as those before and after a reload are, have the same. Names come from the configuration
 * alone: no client makes one.
 */
export class SpentAssertionsOfAgents implements AssertionMemories {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #byName = new Map<string | null, SpentAssertions>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** @param name of an embedded agent; null: the agent's process has one alone */
  of(name: string | null): SpentAssertions {
    // An agent that is gone takes no more, and would never let go of its last ones by itself.
    for (const spent of this.#byName.values()) spent.forget();
    const spent = this.#byName.get(name) ?? new SpentAssertions(this.#clock);
    this.#byName.set(name, spent);
    return spent;
  }
}
