import type { SessionStore } from '../../ports/agent/session-store.js';

/** How many sessions there are, as of the last time that it was asked for: asking has the store count again. */
export class SessionCount {
  readonly #store: Pick<SessionStore, 'count'>;
  #count: number | null = null;
  #isCounting = false;

  constructor(store: Pick<SessionStore, 'count'>) {
    this.#store = store;
    this.#recount();
  }

  /** Null until it is known, and while the store cannot be asked. */
  latest(): number | null {
    this.#recount();
    return this.#count;
  }

  #recount(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    void this.#store.count().then((counted) => {
      this.#isCounting = false;
      this.#count = counted.ok ? counted.value : null;
    });
  }
}
