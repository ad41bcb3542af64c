/** Counts of latencies by bucket: an array and two numbers, so that counting one costs next to nothing. */
export class LatencyCounts {
  readonly #bounds: readonly number[];
  /** One more than the bounds: the last is of all that is over them. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds upper bounds in seconds, inclusive, rising */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  record(seconds: number): void {
    // A clock that fails must not spoil the sum for good.
    const value = seconds >= 0 && seconds < Number.POSITIVE_INFINITY ? seconds : 0;
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  /** Of each bucket by itself. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  get sum(): number {
    return this.#sum;
  }
}
