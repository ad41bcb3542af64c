/** Sessions that are looked up at the same time, at the most: anybody can make up an id. */
export const maximumLookUps = 1_000;

/** Asks the store about a session; calling the result says what it has come to, and has it remembered. */
export type LookUp<Outcome> = (idHash: string) => Promise<() => Outcome>;

interface PendingLookUp<Outcome> {
  readonly result: Promise<Outcome | 'superseded'>;
  isSuperseded: boolean;
}

/** Look-ups in a store. Everyone who asks for the same session while one lasts waits for that one. */
export class SessionLookUps<Outcome> {
  readonly #lookUp: LookUp<Outcome>;
  readonly #pending = new Map<string, PendingLookUp<Outcome>>();

  constructor(lookUp: LookUp<Outcome>) {
    this.#lookUp = lookUp;
  }

  /**
   * `superseded`: the session may have begun or ended while it was read, so that this says nothing; `crowded`: too many are
   * looked up already.
   */
  find(idHash: string): Promise<Outcome | 'superseded'> | 'crowded' {
    const pending = this.#pending.get(idHash);
    if (pending !== undefined) return pending.result;
    return this.#pending.size >= maximumLookUps ? 'crowded' : this.#begin(idHash);
  }

  /** What is being read of the session counts no more. */
  supersede(idHash: string): void {
    const pending = this.#pending.get(idHash);
    if (pending === undefined) return;
    pending.isSuperseded = true;
    this.#pending.delete(idHash);
  }

  supersedeAll(): void {
    for (const idHash of [...this.#pending.keys()]) this.supersede(idHash);
  }

  #begin(idHash: string): Promise<Outcome | 'superseded'> {
    const pending: PendingLookUp<Outcome> = {
      result: this.#lookUp(idHash).then((settle) => {
        if (pending.isSuperseded) return 'superseded';
        this.#pending.delete(idHash);
        // Not a turn later: what ends the session in between would not find it, and it would be remembered.
        return settle();
      }),
      isSuperseded: false,
    };
    this.#pending.set(idHash, pending);
    return pending.result;
  }
}
