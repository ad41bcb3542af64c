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
