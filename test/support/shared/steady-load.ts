const defaultPauseMs = 5;

/** Requests that follow each other on a few lanes until it is stopped, each counted for the phase that it began in. */
export class SteadyLoad {
  readonly #statuses = new Map<string, number[]>();
  readonly #lanes: readonly Promise<void>[];
  #phase: string;
  #stopped = false;

  /**
   * `ask` gives the status of a response; an error is counted as 0. `pauseMs`: of a lane, between two of its
   * requests.
   */
  constructor(
    firstPhase: string,
    lanes: number,
    readonly ask: () => Promise<number>,
    readonly pauseMs = defaultPauseMs,
  ) {
    this.#phase = firstPhase;
    this.#lanes = Array.from({ length: lanes }, () => this.#run());
  }

  /** From now on requests begin in this phase. */
  enter(phase: string): void {
    this.#phase = phase;
  }

  /** Of the finished requests that began in a phase, in the order in which they finished. */
  statuses(phase: string): readonly number[] {
    return this.#statuses.get(phase) ?? [];
  }

  all(): readonly number[] {
    return [...this.#statuses.values()].flat();
  }

  /** Resolves once the last request has finished. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const phase = this.#phase;
      const status = await this.ask().catch(() => 0);
      const statuses = this.#statuses.get(phase) ?? [];
      statuses.push(status);
      this.#statuses.set(phase, statuses);
      await new Promise((resolve) => setTimeout(resolve, this.pauseMs));
    }
  }
}
