import type { EngineLimits } from '../../../../application/ports/gateway/http-engine.js';

/** For how long a client is still read whose octets nobody wants; times are of the monotonic clock, in milliseconds. */
export class Linger {
  readonly #limits: EngineLimits;
  /** Infinity: has not begun. */
  #endMs = Number.POSITIVE_INFINITY;

  constructor(limits: EngineLimits) {
    this.#limits = limits;
  }

  /** Something has come, or it begins. Gives the end of the client's patience, should nothing come any more. */
  dueMs(nowMs: number): number {
    this.#endMs = Math.min(this.#endMs, nowMs + this.#limits.maxLingerMs);
    return Math.min(this.#endMs, nowMs + this.#limits.lingerMs);
  }

  end(): void {
    this.#endMs = Number.POSITIVE_INFINITY;
  }
}
