import type { Clock } from '../../ports/shared/clock.js';

/** Remembers so many texts for so long, those forgotten first that were not added or renewed for the longest time. */
export class TtlSet {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #capacity: number;
  /** When each is forgotten; in the order in which they were added or renewed, which is that of the ends. */
  readonly #ends = new Map<string, number>();

  constructor(clock: Clock, lifetimeMs: number, capacity: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#capacity = capacity;
  }

  has(text: string): boolean {
    const endMs = this.#ends.get(text);
    return endMs !== undefined && this.#clock.monotonicMs() < endMs;
  }

  /** The same, and a text that it has is remembered anew from now on. */
  renew(text: string): boolean {
    if (!this.has(text)) return false;
    this.add(text);
    return true;
  }

  forget(text: string): void {
    this.#ends.delete(text);
  }

  add(text: string): void {
    const nowMs = this.#clock.monotonicMs();
    this.#ends.delete(text);
    this.#ends.set(text, nowMs + this.#lifetimeMs);
    for (const [oldest, endMs] of this.#ends) {
      if (nowMs < endMs && this.#ends.size <= this.#capacity) return;
      this.#ends.delete(oldest);
    }
  }
}
