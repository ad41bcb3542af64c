import type { Clock } from '../../ports/shared/clock.js';
import type { AssertionMemories } from './assertion-memory.js';
import { SpentAssertions } from './spent-assertions.js';

/**
 * What the agents of a process have taken, each its own: they may have other issuers and other clients under one name. Agents of one
 * name, as those before and after a reload are, have the same. Names come from the configuration alone: no client makes one.
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
