interface LatencyFigures {
  readonly avgMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** The latest durations, for health reports. A ring of fixed size. */
export class LatencyWindow {
  readonly #durations: Float64Array;
  #recorded = 0;

  constructor(size = 512) {
    this.#durations = new Float64Array(size);
  }

  record(durationMs: number): void {
    this.#durations[this.#recorded % this.#durations.length] = durationMs;
    this.#recorded += 1;
  }

  figures(): LatencyFigures {
    const sorted = this.#durations.slice(0, Math.min(this.#recorded, this.#durations.length)).sort();
    const at = (fraction: number) => sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? 0;
    const sum = sorted.reduce((total, duration) => total + duration, 0);
    return { avgMs: sorted.length === 0 ? 0 : sum / sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
  }
}
