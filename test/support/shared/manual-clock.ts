import type { Clock } from '../../../src/application/ports/shared/clock.js';

/** A clock that a test sets. */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;

  constructor(wallMs = 1_800_000_000_000) {
    this.#wallMs = wallMs;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  turnMs(): number {
    return this.monotonicMs();
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Seconds since the Unix epoch, as tokens have them. */
  seconds(): number {
    return Math.floor(this.#wallMs / 1000);
  }

  advance(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }
}
