/**
 * Coalesces calls of an expensive task. The task runs once at a time. Calls during a run share the next run, so that no
 * outcome is older than its call.
 */
export class Coalesced<Outcome> {
  readonly #run: () => Promise<Outcome>;
  #running: Promise<Outcome> | null = null;
  #next: Promise<Outcome> | null = null;

  constructor(run: () => Promise<Outcome>) {
    this.#run = run;
  }

  get(): Promise<Outcome> {
    if (this.#next !== null) return this.#next;
    if (this.#running === null) return this.#begin();
    const begin = () => this.#begin();
    this.#next = this.#running.then(begin, begin);
    return this.#next;
  }

  #begin(): Promise<Outcome> {
    this.#next = null;
    const running = this.#run().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}
