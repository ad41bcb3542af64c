import type { Clock } from '../../ports/shared/clock.js';

/** A bounded set of texts with a time to live. Evicts the text that was added or renewed first. */
export class TtlSet {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #capacity: number;
  /** Expiry times, in order of addition or renewal, which is the order of expiry. */
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

  /** Like `has`, and renews a text that is present. */
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
